import { NOT_ALL_RUN, type PromiseResult, type PromiseState } from '#lab/explore';
import { count } from '#lab/step';
import { quoted, unexplainedText, type ReportedCard } from '#load-tests/report';
import { renderTable } from './table';
import { fields, shellCommand, wrap } from './wrap';

export const STATE_WORDS = {
  kept: 'kept',
  broken: 'BROKEN',
  'not-applicable': 'n/a',
  unknown: 'unknown',
} as const satisfies Record<PromiseState, string>;

const SIGNS = {
  kept: '✓',
  broken: '✗',
  'not-applicable': '–',
  unknown: '?',
} as const satisfies Record<PromiseState, string>;

/**
 * The report card of a lock: a line for each promise, the load, then the shortest schedule of each broken promise.
 * `longer`: the command that has more time.
 */
export function printCard(
  {
    name,
    promises,
    unexplained,
    notExplored,
    contradictions,
    unseen,
    left,
    isDeclared,
    seconds,
    load,
    loadFailure,
  }: ReportedCard,
  page: string,
  longer: string,
): string {
  const number = (wanted: PromiseResult['state']): number =>
    promises.filter(({ state }) => state === wanted).length;
  const schedules = promises.reduce((sum, one) => sum + one.schedules, 0);
  const notApplicable = number('not-applicable') === 0 ? '' : `${number('not-applicable')} not applicable, `;
  return [
    wrap(
      `${name}: ${count(number('kept'), 'promise')} kept, ${number('broken')} broken, ${notApplicable}${number('unknown')} unknown; ${count(schedules, 'schedule')} in ${seconds.toFixed(1)} s`,
      2,
    ),
    ...contradictions.map((text) => wrap(`  NOT as declared: ${text}`, 4)),
    ...unexplained.map((one) => wrap(`  ALSO SEEN: ${unexplainedText(one)}`, 4)),
    ...unseenAndLeft(unseen, left).map((text) => wrap(`  ${text}`, 4)),
    ...(notExplored.length === 0 ? [] : [wrap(`  not explored: ${quoted(notExplored)}`, 4)]),
    ...(isDeclared && contradictions.length === 0 ? ['  as declared'] : []),
    '',
    renderTable({
      head: ['', 'promise', 'what it means', 'schedules', 'violating'],
      rows: promises.map(({ state, capability, about, because, schedules: run, violating }) => [
        `${SIGNS[state]} ${STATE_WORDS[state]}`,
        capability,
        because === undefined || because === NOT_ALL_RUN ? about : `${about} (${because})`,
        run,
        violating,
      ]),
    }),
    ...undecidedLines(promises, longer),
    ...(load === undefined ? [] : ['', loadLines(load)]),
    ...(loadFailure === undefined ? [] : ['', wrap(`Under load: no result: ${loadFailure}`, 2)]),
    ...[
      ...promises.map((one) => ({ ...one, title: one.capability })),
      ...unexplained.map((one) => ({ ...one, title: one.kind })),
    ].flatMap(({ title, sentence, replay, lanes }) =>
      lanes === undefined ? [] : ['', wrap(`✗ ${title}: ${sentence ?? ''}`, 2), lanes, `  ${replay ?? ''}`],
    ),
    '',
    fields([['report', page]]),
  ].join('\n');
}

/** The promises that were given too little time, and the command that gives more. */
function undecidedLines(promises: readonly PromiseResult[], longer: string): readonly string[] {
  const undecided = promises.filter(({ because }) => because === NOT_ALL_RUN).length;
  if (undecided === 0) return [];
  const what = `undecided, because ${NOT_ALL_RUN}: ${count(undecided, 'promise')}. More time decides more:`;
  return ['', wrap(what, 2), shellCommand(longer, 2)];
}

/** What a request did that the explorer did not see, and what it left on the servers. */
const unseenAndLeft = (unseen: readonly string[], left: readonly string[]): readonly string[] => [
  ...(unseen.length === 0
    ? []
    : [
        `UNKNOWN: a request uses connections that it did not receive from the lab, and no schedule can order what it sends over them: ${unseen.join('; ')}`,
      ]),
  ...(left.length === 0 ? [] : [`left behind by a request: ${left.join('; ')}`]),
];

const loadLines = ({ verdict, traffic, handOvers }: ReportedCard['load'] & object): string =>
  [
    wrap(`Under load: ${verdict.headline}`, 2),
    wrap(`  ${traffic}`, 2),
    '',
    renderTable({
      head: ['', 'hand-overs/s', 'p50 ms', 'p99 ms'],
      rows: handOvers.map(({ strategy, perSecond, p50, p99 }) => [strategy, Math.round(perSecond), p50, p99]),
    }),
  ].join('\n');

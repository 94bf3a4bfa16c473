import { budgetText, judgeCell, type Plan, type Tally } from '#lab/explore';
import { count } from '#lab/step';
import type { Strategy } from '#lab/strategy';
import { HARMS, MARKS, harmOf, worstFirst, type FaultName, type Harm } from '#lab/verdict';
import { wrap } from './wrap';

/** The shortest schedule that shows one or several violations, and its token. */
export interface ShownWitness {
  readonly kinds: readonly string[];
  readonly sentences: readonly string[];
  /** How it comes to the worst of them, one sentence. */
  readonly mechanism: string;
  /** The first strategy further up the ladder whose data stays right in the same schedule. */
  readonly passes?: string;
  readonly token: string;
  readonly lanes: string;
}

/** What is shown beside the counts. */
interface Beside {
  /** Schedules per second if there were nothing but round trips. */
  readonly floor?: number;
  /** What contradicts the catalogue. */
  readonly contradictions: readonly string[];
  readonly verbose: boolean;
}

/** One line of progress. */
export function tallyLine(name: string, tally: Tally, seconds: number): string {
  const found = [...tally.kinds].map(([kind, n]) => `${kind} ${n}`).join(', ');
  return `${name}: ${count(tally.schedules, 'schedule')}, ${Math.round(tally.schedules / seconds)}/s, found ${found || 'nothing'}`;
}

/** What an exploration found, for people: the mark, how it comes to it, the counts, the shortest schedules. */
export function printTally(
  strategy: Strategy,
  plan: Plan,
  tally: Tally,
  seconds: number,
  witnesses: readonly ShownWitness[],
  { floor, contradictions, verbose }: Beside,
): string {
  const { setup, budget } = plan;
  const about = Object.keys(budget)[0] as FaultName | undefined;
  const { mark, because } = judgeCell(tally, about);
  const places = setup.processes
    .map((process, i) => [`${'ABC'.charAt(i)} in ${process}`, ...(setup.carts?.[i] ?? [])].join(' + '))
    .join(', ');
  const of = `of ${count(tally.schedules, 'schedule')}`;
  const headline =
    mark === 'safe'
      ? `✓ SAFE in all ${count(tally.schedules, 'schedule')}`
      : mark === 'unknown'
        ? `? UNKNOWN: ${because ?? ''}`
        : `${MARKS[mark].sign} ${MARKS[mark].words.toUpperCase()} in ${tally.harms[mark]} ${of}`;
  return [
    `${strategy.name}: ${places}, ${count(setup.stock, 'unit')}, faults ${budgetText(budget) || 'none'}`,
    '',
    headline,
    ...explanation(tally, witnesses, mark),
    ...contradictions.map((sentence) => `  NOT as documented: ${sentence}`),
    '',
    ...HARMS.filter((harm) => tally.harms[harm] > 0).map((harm) => harmLine(tally, harm)),
    `  ${'right'.padEnd(24)} ${String(tally.schedules - tally.violating).padStart(6)} ${of}`,
    ...[...tally.fired].map(
      ([fault, n]) => `  ${`${fault} happened in`.padEnd(24)} ${String(n).padStart(6)}`,
    ),
    `  ${count(tally.schedules, 'schedule')} in ${seconds.toFixed(1)} s` +
      (tally.partial ? ', PARTIAL: not every schedule was run' : ''),
    ...(verbose ? details(plan, tally, seconds, floor) : []),
    ...witnesses.flatMap(({ kinds, lanes, token }) => [
      '',
      `${[...new Set(kinds)].join(', ')}, the shortest schedule:`,
      lanes,
      `      npx lab replay ${token}`,
    ]),
    ...nextCommand(plan, witnesses),
  ].join('\n');
}

/** Kinds of one harm, with the number of schedules that show each. */
function harmLine(tally: Tally, harm: Harm): string {
  const kinds = worstFirst(tally.kinds.keys()).filter((kind) => harmOf(kind) === harm);
  const counts = kinds.map((kind) => `${kind} ${tally.kinds.get(kind) ?? 0}`).join(', ');
  return `  ${MARKS[harm].words.padEnd(24)} ${String(tally.harms[harm]).padStart(6)} (${counts})`;
}

/** Statements that are named at most. */
const MOST_PROTECTIONS = 4;

/** How it went wrong; or, where the data is right, what kept the actors apart. */
function explanation(
  { protections, schedules }: Tally,
  [worst]: readonly ShownWitness[],
  mark: string,
): string[] {
  if (mark === 'data-wrong' || mark === 'unavailable')
    return worst === undefined ? [] : [wrap(`  ${worst.mechanism}`, 2)];
  const kept = [...protections].sort(([, a], [, b]) => b - a).slice(0, MOST_PROTECTIONS);
  return kept.map(([what, n]) => wrap(`  ${what} (in ${n} of ${schedules})`, 4));
}

function details({ bound, reduce }: Plan, tally: Tally, seconds: number, floor?: number): string[] {
  const rate = tally.schedules / seconds;
  return [
    `  ${Math.round(rate)}/s, bound ${bound ?? 'none'}, ${reduce ? `${tally.redundant} others left out as equal` : 'no reduction'}`,
    ...(floor === undefined
      ? []
      : [
          `  with nothing but the actors' round trips it would be ${Math.round(floor)}/s: ratio ${(rate / floor).toFixed(2)}`,
        ]),
  ];
}

/** The same circumstances for the first strategy that keeps its data right in the shortest schedule. */
function nextCommand({ setup, budget }: Plan, [worst]: readonly ShownWitness[]): string[] {
  if (worst?.passes === undefined) return [];
  const faults = budgetText(budget);
  const carts = setup.carts === undefined ? '' : ' --crossed-carts';
  return [
    '',
    `The first strategy further up whose data stays right in this schedule:`,
    `      npx lab explore ${worst.passes}${faults === '' ? '' : ` --faults ${faults}`}${carts}`,
  ];
}

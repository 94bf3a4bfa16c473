import {
  budgetText,
  exploreOptionsOf,
  judgeCell,
  shareText,
  unknownText,
  worstHarmOf,
  type CellVerdict,
  type Plan,
  type Tally,
} from '#lab/explore';
import { count } from '#lab/step';
import type { FaultName } from '#lab/strategy';
import { HARMS, MARKS, harmOf, worstFirst, type Harm, markWords } from '#lab/verdict';
import { fitLanes } from './lanes';
import { lessonLines } from './lesson';
import { fields, shellCommand, wrap } from './wrap';

/** The shortest schedule that shows one or several violations, and its token. */
export interface ShownWitness {
  readonly kinds: readonly string[];
  readonly sentences: readonly string[];
  /** How the worst violation comes about, one sentence. */
  readonly mechanism: string;
  /** The next strategy of the catalogue whose data stays right in the same schedule. */
  readonly passes?: string;
  readonly token: string;
  readonly lanes: string;
}

/** Printed in addition to the counts. */
export interface TallyDetails {
  /** Number of schedules after which the search ends, if one was given. */
  readonly max?: number | undefined;
  /** Schedules per second if round trips were the only cost. */
  readonly floor?: number;
  /** All orders of steps, by harm. Absent: not to be counted. */
  readonly interleavings?:
    Readonly<Record<'all', number> & Partial<Record<Harm, number>>> | 'too many' | undefined;
  /** Deviations from the catalogue. */
  readonly contradictions: readonly string[];
  readonly verbose: boolean;
}

/** Before these, the searched share of the tree says little. */
const LEAST_SCHEDULES = 5;
const LEAST_SECONDS = 3;

/** One line of progress. */
export function tallyLine(name: string, tally: Tally, open: number, seconds: number): string {
  const found = [...tally.kinds].map(([kind, n]) => `${kind} ${n}`).join(', ');
  const rate = `${Math.round(tally.schedules / seconds)}/s`;
  const isEarly = tally.schedules < LEAST_SCHEDULES || seconds < LEAST_SECONDS;
  const share = isEarly ? '' : `, ${searchedText(tally)}`;
  return `${name}: ${count(tally.schedules, 'schedule')}, ${rate}, found ${found || 'nothing'}; ${count(open, 'open branch', 'open branches')}${share}`;
}

/** An estimate: branches of a tree are not equally large. */
const searchedText = ({ searched }: Tally): string =>
  `about ${searched < 0.01 ? '< 1' : Math.floor(100 * Math.min(searched, 0.99))} % of the tree`;

const whatSearchesLonger = ({ schedules }: Tally, max?: number): string =>
  max !== undefined && schedules >= max ? `it ended after --max ${max}` : '--time 10m searches longer';

/** The worst harm of an exploration whose fault never happened, as the end of its headline. */
function withoutFault(tally: Tally, { reason }: CellVerdict): string {
  const worst = worstHarmOf(tally);
  if (worst === undefined || reason?.code !== 'fault-never-fired') return '';
  return `; without it, ${MARKS[worst.harm].words} in ${worst.schedules} of ${count(tally.schedules, 'schedule')}`;
}

/** The result of an exploration: mark and reason, counts, shortest schedules, the command that follows. */
export function printTally(
  strategy: { readonly name: string },
  plan: Plan,
  tally: Tally,
  seconds: number,
  witnesses: readonly ShownWitness[],
  { max, floor, interleavings, contradictions, verbose }: TallyDetails,
): string {
  const { setup, budget } = plan;
  const about = Object.keys(budget)[0] as FaultName | undefined;
  const cell = judgeCell(tally, about);
  const { mark } = cell;
  const all = count(tally.schedules, 'schedule');
  const actors = setup.processes
    .map((process, i) => [`${'ABC'.charAt(i)} in ${process}`, ...(setup.carts?.[i] ?? [])].join(' + '))
    .join(', ');
  const headline =
    cell.mark === 'safe'
      ? `✓ SAFE in all ${all}`
      : cell.mark === 'unknown'
        ? `? UNKNOWN: ${unknownText(cell.reason)}${withoutFault(tally, cell)}`
        : `${MARKS[cell.mark].sign} ${markWords(cell.mark, tally.kinds.keys()).toUpperCase()} in ${tally.harms[cell.mark]} of ${all}`;
  const counts: (readonly [string, string])[] = [
    ...HARMS.filter((harm) => tally.harms[harm] > 0).map((harm) => harmField(tally, harm)),
    ['no violation', `${tally.schedules - tally.violating} of ${all}`],
    ...allOrders(tally, interleavings),
    ...[...tally.fired].map(([fault, n]) => [`fault ${fault} fired`, `in ${n} of ${all}`] as const),
    ...(tally.partial
      ? [
          [
            'PARTIAL',
            `not every schedule was run: ${searchedText(tally)}; ${whatSearchesLonger(tally, max)}`,
          ] as const,
        ]
      : []),
    ...(verbose ? technicalDetails(plan, tally, seconds, floor) : []),
  ];
  return [
    wrap(`${strategy.name}: ${headline}`, 2),
    ...explanation(tally, witnesses, mark),
    ...contradictions.map((sentence) => wrap(`  NOT as documented: ${sentence}`, 4)),
    '',
    fields([
      ['setup', `${actors}, ${count(setup.stock, 'unit')}, faults ${budgetText(budget) || 'none'}`],
      ...counts,
    ]),
    ...witnesses.flatMap((witness, i) => printWitness(witness, setup.processes.length, verbose || i === 0)),
    ...nextCommand(plan, witnesses),
    ...(mark === 'safe' || mark === 'unknown' ? [] : lessonLines(strategy.name)),
  ].join('\n');
}

/** The shortest schedule with its lanes, or only the command that prints them. */
function printWitness({ kinds, lanes, token }: ShownWitness, actors: number, withLanes: boolean): string[] {
  return [
    '',
    wrap(`Shortest schedule with ${[...new Set(kinds)].join(', ')}:`, 2),
    ...(withLanes ? [fitLanes(lanes, actors)] : []),
    shellCommand(`npx lab replay ${token}`, 6),
  ];
}

/** Kinds of one harm, with the number of schedules that show each. */
function harmField(tally: Tally, harm: Harm): readonly [string, string] {
  const kinds = worstFirst(tally.kinds.keys()).filter((kind) => harmOf(kind) === harm);
  const counts = kinds.map((kind) => `${kind} ${tally.kinds.get(kind) ?? 0}`).join(', ');
  return [
    markWords(harm, kinds),
    `${tally.harms[harm]} of ${count(tally.schedules, 'schedule')} (${counts})`,
  ];
}

/** The share of all orders in which the steps can happen: the schedules are those that the reduction leaves of them. */
function allOrders(
  { kinds, partial }: Tally,
  interleavings: TallyDetails['interleavings'],
): (readonly [string, string])[] {
  const title = 'of all orders of steps';
  if (interleavings === 'too many') return [[title, 'too many to count them fast: --orders counts them']];
  if (interleavings === undefined || partial) return [];
  const { all } = interleavings;
  const wrong = HARMS.flatMap((harm) => {
    const n = interleavings[harm] ?? 0;
    return n === 0 ? [] : [`${markWords(harm, kinds.keys())} in ${shareText(n, all)}`];
  });
  return wrong.length === 0 ? [] : [[title, wrong.join(', ')]];
}

/** Protecting statements that are printed at most. */
const MOST_PROTECTIONS = 4;

/** How the data went wrong; if it is right, what kept the actors apart. */
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

function technicalDetails(
  { bound, reduce }: Plan,
  tally: Tally,
  seconds: number,
  floor?: number,
): (readonly [string, string])[] {
  const rate = tally.schedules / seconds;
  return [
    ['time', `${seconds.toFixed(1)} s, ${Math.round(rate)} schedules/s`],
    ['preemption bound', String(bound ?? 'none')],
    ['reduction', reduce ? `${tally.redundant} equivalent interleavings skipped` : 'off'],
    ...(floor === undefined
      ? []
      : [
          [
            'limit by round trips',
            `${Math.round(floor)} schedules/s; the measured rate is ${(rate / floor).toFixed(2)} of it`,
          ] as const,
        ]),
  ];
}

/** The same circumstances for the first strategy that keeps its data right in the shortest schedule. */
function nextCommand(plan: Plan, [worst]: readonly ShownWitness[]): string[] {
  if (worst?.passes === undefined) return [];
  return [
    '',
    'Next strategy in the catalogue whose data stays right in this schedule:',
    shellCommand(['npx lab explore', worst.passes, ...exploreOptionsOf(plan)].join(' '), 6),
  ];
}

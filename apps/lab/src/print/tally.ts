import { count } from '#lab/step';
import { budgetText, judgeCell, type Plan, type Tally } from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import type { FaultName } from '#lab/verdict';

/** The shortest schedule that shows one or several violations, and its token. */
export interface ShownWitness {
  readonly kinds: readonly string[];
  readonly sentences: readonly string[];
  readonly token: string;
  readonly lanes: string;
}

/** One line of progress. */
export function tallyLine(name: string, tally: Tally, seconds: number): string {
  const found = [...tally.kinds].map(([kind, n]) => `${kind} ${n}`).join(', ');
  return `${name}: ${count(tally.schedules, 'schedule')}, ${Math.round(tally.schedules / seconds)}/s, found ${found || 'nothing'}`;
}

/** What an exploration found, for people. */
export function printTally(
  strategy: Strategy,
  plan: Plan,
  tally: Tally,
  seconds: number,
  witnesses: readonly ShownWitness[],
  floor?: number,
): string {
  const { setup, budget, bound, reduce } = plan;
  const about = Object.keys(budget)[0] as FaultName | undefined;
  const { sign, because } = judgeCell(tally, about);
  const places = setup.processes
    .map((process, i) => [`${'ABC'.charAt(i)} in ${process}`, ...(setup.carts?.[i] ?? [])].join(' + '))
    .join(', ');
  return [
    `${strategy.name}: ${places}, stock ${setup.stock}, faults ${budgetText(budget) || 'none'}`,
    `  ${count(tally.schedules, 'schedule')} in ${seconds.toFixed(1)} s (${Math.round(tally.schedules / seconds)}/s)` +
      `, bound ${bound ?? 'none'}, ${reduce ? `${count(tally.redundant, 'other')} left out as equal` : 'no reduction'}` +
      (tally.partial ? ', PARTIAL: not every schedule was run' : ''),
    ...(floor === undefined
      ? []
      : [
          `  with nothing but the actors' round trips it would be ${Math.round(floor)}/s: ratio ${(tally.schedules / seconds / floor).toFixed(2)}`,
        ]),
    ...[...tally.kinds].map(([kind, n]) => `  ${kind}: ${n}`),
    ...[...tally.fired].map(([fault, n]) => `  ${fault} happened in ${n}`),
    `  somebody waited in ${tally.prevented.waits}, was refused in ${tally.prevented.rejects}, was aborted in ${tally.prevented.aborts}`,
    `  verdict: ${sign}${because === undefined ? '' : ` (${because})`}`,
    ...witnesses.flatMap(({ kinds, lanes, token }) => [
      '',
      `${kinds.join(', ')}, the shortest schedule:`,
      lanes,
      `      lab replay ${token}`,
    ]),
  ].join('\n');
}

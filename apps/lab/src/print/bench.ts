import type { BenchResult, LockBenchResult, OverloadCurve } from '#load-tests/bench';
import { renderTable } from './table';
import { fields } from './wrap';

/** A goal of the benchmark. */
export interface Goal {
  readonly what: string;
  readonly measured: string;
  /** Absent: the figure is only reported. */
  readonly goal?: string;
  readonly met: boolean;
}

/** Whether all goals are met, then each of them; with `verbose` also the figures without a goal. */
export function printGoals(goals: readonly Goal[], verbose: boolean): string {
  const judged = goals.filter(({ goal }) => goal !== undefined);
  const met = judged.filter((goal) => goal.met).length;
  return [
    met === judged.length ? `ALL GOALS MET (${met})` : `GOALS MET: ${met} of ${judged.length}`,
    '',
    renderTable({
      head: ['figure', 'measured', 'goal', 'met'],
      rows: (verbose ? goals : judged).map(({ what, measured, goal, met: isMet }) => [
        what,
        measured,
        goal ?? '',
        goal === undefined ? '' : isMet ? 'yes' : 'NO',
      ]),
    }),
  ].join('\n');
}

/** Each pair of runs of `lab bench http`. */
export const printPairs = ({ pairs }: BenchResult): string =>
  renderTable({
    head: ['pair', 'real apps, sales/s', 'bare handlers, sales/s', 'real / bare'],
    rows: pairs.map(({ real, bare, ratio }, i) => [
      i + 1,
      Math.round(real),
      Math.round(bare),
      ratio.toFixed(2),
    ]),
  });

/** Each rate of one curve of `lab bench overload`. */
export function printOverload({ capacityPerSecond, rows }: OverloadCurve): string {
  return [
    `capacity, measured with 64 buyers that wait for their answers: ${rounded(capacityPerSecond)} sales/s`,
    '',
    renderTable({
      head: ['× capacity', 'offered/s', 'goodput/s', 'refused', 'p50 ms', 'p99 ms', 'other answers'],
      rows: rows.map((row) => [
        row.times,
        rounded(row.offeredPerSecond),
        rounded(row.goodputPerSecond),
        percent(row.refusedShare),
        rounded(row.p50),
        rounded(row.p99),
        Object.entries(row.others)
          .map(([status, count]) => `${status}: ${count}`)
          .join(', '),
      ]),
    }),
  ].join('\n');
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;
const rounded = (value: number): string => Math.round(value).toLocaleString('en');

/** Throughput and waiting times of each lock; with `verbose` also the second experiment and the conditions. */
export function printSpeeds(result: LockBenchResult, verbose: boolean): string {
  const { contenders, roundTripsPerSecond, conditions } = result;
  return [
    `round trips of one PING at a time: ${rounded(roundTripsPerSecond)}/s`,
    '',
    renderTable({
      head: [
        'lock',
        'acquires/s, 1 client',
        'acquires/s, 32 keys',
        'hand-overs/s',
        'wait p50 ms',
        'wait p99 ms',
        'fairness (min/max)',
      ],
      rows: contenders.map(({ name, alone, alone32, contended }) => [
        name,
        rounded(alone),
        rounded(alone32),
        rounded(contended.handOversPerSecond),
        contended.waitP50.toFixed(1),
        contended.waitP99.toFixed(1),
        contended.fairness.toFixed(2),
      ]),
    }),
    ...(verbose
      ? [
          '',
          detailsTable(result),
          '',
          fields(Object.entries(conditions).map(([name, value]) => [name, String(value)])),
        ]
      : []),
  ].join('\n');
}

function detailsTable({ contenders }: LockBenchResult): string {
  const crowds = Object.keys(contenders[0]?.commandsBy ?? {});
  return renderTable({
    head: [
      'lock',
      'returned to previous holder',
      'pause of 1 ms: hand-overs/s',
      'pause of 1 ms: wait p99 ms',
      `commands with ${crowds.join(', ')} waiters`,
    ],
    rows: contenders.map(({ name, kind, contended, rested, commandsBy }) => [
      name,
      percent(contended.backAndForth),
      rounded(rested.handOversPerSecond),
      rested.waitP99.toFixed(1),
      kind === 'for scale' ? '' : crowds.map((crowd) => (commandsBy[crowd] ?? NaN).toFixed(1)).join(', '),
    ]),
  });
}

/** When each lock notices that it is cut off from Redis. */
export const printLossSignals = ({ lossSignals }: LockBenchResult): string =>
  renderTable({
    head: ['lock cut off from Redis', 'loss reported, after the end of the lease'],
    rows: lossSignals.map(({ name, afterMs, because }) => [
      name,
      afterMs === null
        ? `not within 4 s${because === undefined ? '' : `: ${because}`}`
        : `${afterMs.toFixed(0)} ms`,
    ]),
  });

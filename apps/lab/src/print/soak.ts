import { count } from '#lab/step';
import type { MinuteVerdict } from '#lab/verdict';
import type { SoakPlan, SoakRun } from '#load-tests/soak';
import { renderTable } from './table';
import { shellCommand, wrap } from './wrap';

const countsOf = (all: Readonly<Record<string, number>>): string =>
  Object.entries(all)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');

const commandOf = ({ seed, minutes }: SoakPlan): string =>
  `npx lab soak --seed ${seed} --minutes ${minutes.reduce((sum, { seconds }) => sum + seconds, 0) / 60}`;

/** The planned minutes, and the command that repeats them. */
export function printSoakPlan(plan: SoakPlan, verbose: boolean): string {
  const { seed, minutes, components, kinds, least } = plan;
  const kindNames = kinds.map(({ name }) => name).join(', ');
  return [
    `soak: seed ${seed}, ${count(minutes.length, 'minute')}, servers on demand: ${components.join(', ') || 'none'}`,
    wrap(
      `${count(kinds.length, 'kind')} of faults; each must fire at least ${count(least, 'time')} while locks are contended${verbose ? `: ${kindNames}` : ''}`,
      2,
    ),
    '',
    renderTable({
      head: ['minute', 'strategies', verbose ? 'faults, by second of the minute' : 'faults'],
      rows: minutes.map((minute) => [
        minute.number,
        minute.balances.map(nameOf).join(', '),
        verbose ? faultsByTime(minute) : faultsByKind(minute),
      ]),
      boxed: true,
    }),
  ].join('\n');
}

type PlannedMinute = SoakPlan['minutes'][number];

const nameOf = ({ kind, strategy }: PlannedMinute['balances'][number]): string =>
  kind === 'account' ? `${strategy} (account)` : strategy;

function faultsByKind({ faults }: PlannedMinute): string {
  const kinds: Record<string, number> = {};
  for (const { kind } of faults) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return countsOf(kinds);
}

const faultsByTime = ({ faults, balances }: PlannedMinute): string =>
  faults
    .map(({ at, kind, carried, server }) => {
      const balance = carried === undefined ? undefined : balances[carried.balance];
      const target = balance === undefined ? server?.target : nameOf(balance);
      return `${(at / 1000).toFixed(1)} ${kind}${target === undefined ? '' : ` of ${target}`}`;
    })
    .join(', ');

/** One line of progress after each minute. */
export function minuteLine(minute: MinuteVerdict, of: number): string {
  const { number, counts, sold, balances, contendedPercent, fired, wrong } = minute;
  const result = wrong.length === 0 ? 'passed' : `FAILED: ${wrong.join('; ')}`;
  const idle = counts ? '' : ' (no contention: not counted)';
  return `minute ${number} of ${of}${idle}: ${result}; ${sold} sold of ${count(balances, 'balance')}, contended ${contendedPercent} % of the time; ${countsOf(fired) || 'no fault fired'}`;
}

/** The verdict with its reasons, the table of minutes, and the command that repeats the run. */
export function printSoak(run: SoakRun, verbose: boolean): string {
  const { plan, verdict } = run;
  return [
    verdict.held
      ? `PASSED: ${count(verdict.counted, 'minute')} with contention, no violation, no leak`
      : `FAILED: ${count(verdict.because.length, 'problem')}`,
    ...verdict.because.map((sentence) => wrap(`  ${sentence}`, 4)),
    '',
    minuteTable(run, verbose),
    ...(verbose ? ['', growthTable(run)] : []),
    '',
    wrap(`faults that fired under contention: ${countsOf(verdict.fired) || 'none'}`, 2),
    'The same plan again:',
    shellCommand(commandOf(plan), 2),
  ].join('\n');
}

function minuteTable({ minutes }: SoakRun, verbose: boolean): string {
  const details = ['answers', 'fired without contention', 'outcome unknown', 'repeated with a key'];
  return renderTable({
    head: ['minute', 'sold', 'sold out', 'contended', 'faults', 'passed', ...(verbose ? details : [])],
    rows: minutes.map((minute) => [
      minute.counts ? minute.number : `${minute.number} (idle)`,
      minute.sold,
      `${minute.soldOut}/${minute.balances}`,
      `${minute.contendedPercent} %`,
      countsOf(minute.fired),
      minute.wrong.length === 0 ? 'yes' : `NO: ${minute.wrong.join('; ')}`,
      ...(verbose
        ? [
            countsOf(minute.answers),
            countsOf(minute.inVain),
            minute.answeredUnknown,
            `${minute.insisted.purchases}: ${minute.insisted.bought} bought`,
          ]
        : []),
    ]),
    boxed: true,
  });
}

function growthTable({ verdict, samples }: SoakRun): string {
  return renderTable({
    head: [
      'replica',
      'pid',
      'samples',
      'RSS, MB',
      'RSS MB/min',
      'heap MB/min',
      'handles',
      'handles/min',
      'resources/min',
    ],
    rows: verdict.slopes.map(({ replica, pid, samples: n, perMinute }) => {
      const last = samples.findLast((sample) => sample.replica === replica && sample.pid === pid);
      return [
        replica,
        pid,
        n,
        last === undefined ? '–' : Math.round(last.rssMb),
        perMinute?.rssMb ?? 'too few samples',
        perMinute?.heapMb ?? '–',
        last?.handles ?? '–',
        perMinute?.handles ?? '–',
        perMinute?.resources ?? '–',
      ];
    }),
  });
}

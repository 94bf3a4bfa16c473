import { count } from '#lab/step';
import type { MinuteVerdict } from '#lab/verdict';
import Table from 'cli-table3';
import type { SoakPlan, SoakRun } from '#load-tests/soak';

const counts = (all: Readonly<Record<string, number>>): string =>
  Object.entries(all)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');

/** What will happen, and how to have it again. */
export function printSoakPlan({ seed, minutes, components, kinds, least }: SoakPlan): string {
  const head = `soak: seed ${seed}, ${count(minutes.length, 'minute')}, servers on demand: ${components.join(', ') || 'none'}`;
  const wanted = `${count(kinds.length, 'kind')} of faults, each to fire at least ${count(least, 'time')} while locks are contended: ${kinds.map(({ name }) => name).join(', ')}`;
  const table = new Table({
    head: ['minute', 'sold by', 'faults, seconds since the minute began'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [8, 30, 90],
  });
  for (const { number, balances, faults } of minutes)
    table.push([
      number,
      balances.map(({ strategy }) => strategy).join(', '),
      faults
        .map(
          ({ at, kind, carried, server }) =>
            `${(at / 1000).toFixed(1)} ${kind}${carried === undefined ? '' : ` of ${balances[carried.balance]?.strategy ?? '?'}`}${server === undefined ? '' : ` of ${server.target}`}`,
        )
        .join(', '),
    ]);
  return [head, wanted, table.toString()].join('\n');
}

/** One line when a minute was judged. */
export function minuteLine(minute: MinuteVerdict, of: number): string {
  const { number, counts: isCounted, sold, balances, contendedPercent, fired, wrong } = minute;
  const words = wrong.length === 0 ? 'held' : `DID NOT HOLD: ${wrong.join('; ')}`;
  const counted = isCounted ? '' : ' (nothing contended: it does not count)';
  return `minute ${number} of ${of}${counted}: ${sold} sold of ${count(balances, 'balance')}, contended ${contendedPercent} % of the time; ${counts(fired) || 'no fault fired'}; ${words}`;
}

/** The table by minute, what grew, and the verdict. */
export function printSoak({ plan, minutes, samples, verdict }: SoakRun): string {
  const table = new Table({
    head: [
      'minute',
      'sold',
      'sold out',
      'contended',
      'answers',
      'faults that count',
      'in vain',
      'outcome unknown',
      'asked again',
      'held',
    ],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [8, 7, 10, 11, 34, 40, 22, 9, 12, 36],
  });
  for (const minute of minutes)
    table.push([
      minute.counts ? minute.number : `${minute.number} (idle)`,
      minute.sold,
      `${minute.soldOut}/${minute.balances}`,
      `${minute.contendedPercent} %`,
      counts(minute.answers),
      counts(minute.fired),
      counts(minute.inVain),
      minute.toldUnknown,
      `${minute.insisted.purchases}: ${minute.insisted.bought} bought`,
      minute.wrong.length === 0 ? 'yes' : `NO: ${minute.wrong.join('; ')}`,
    ]);
  const growth = new Table({
    head: [
      'replica',
      'pid',
      'minutes compared',
      'RSS now, MB',
      'RSS MB/min',
      'heap MB/min',
      'handles now',
      'handles/min',
      'resources/min',
    ],
    style: { head: [], border: [] },
  });
  for (const { replica, pid, samples: n, perMinute } of verdict.slopes) {
    const last = samples.findLast((sample) => sample.replica === replica && sample.pid === pid);
    const slopes =
      perMinute === null
        ? ['too young', '–', '–', '–']
        : [perMinute.rssMb, perMinute.heapMb, perMinute.handles, perMinute.resources];
    growth.push([
      replica,
      pid,
      n,
      last === undefined ? '–' : Math.round(last.rssMb),
      slopes[0] ?? '–',
      slopes[1] ?? '–',
      last?.handles ?? '–',
      slopes[2] ?? '–',
      slopes[3] ?? '–',
    ]);
  }
  return [
    table.toString(),
    growth.toString(),
    `faults that count: ${counts(verdict.fired)}`,
    verdict.held ? 'EVERYTHING HELD' : `DID NOT HOLD: ${verdict.because.join('; ')}`,
    `again: lab soak --seed ${plan.seed} --minutes ${plan.minutes.reduce((sum, { seconds }) => sum + seconds, 0) / 60}`,
  ].join('\n');
}

import { count } from '#lab/step';
import type { CartsVerdict, LoadVerdict } from '#lab/verdict';
import Table from 'cli-table3';
import { hostOf, skusOf, whyUnfired, type LoadRun } from '#load-tests/run';
import { expectationWords } from './words';

/** A run as a person reads it in a terminal. */
export function printRun(run: LoadRun, folder: string): string {
  const { plan, verdict, latency } = run;
  const unfired = whyUnfired(run);
  const options = plan.options;
  const { amountMinor, carts, stock } = plan;
  const wanted =
    amountMinor === undefined
      ? `${count(plan.requests, 'order')}, ${plan.connections} at once, ${count(stock, 'unit')}${carts === undefined ? '' : ` of each of ${skusOf(plan).join(', ')}`}`
      : `${count(plan.requests, 'entry', 'entries')} of ${amountMinor}, ${plan.connections} at once, from a balance of ${stock}`;
  const title = `${plan.strategy}: ${wanted}, ${count(plan.replicas, `${hostOf(plan)} replica`)}`;
  const lines = [
    title,
    `work ${options.workMs} ms, lease ${options.leaseMs} ms, wait ${options.waitMs} ms${plan.fault ? `, fault ${plan.fault.header}` : ''}`,
    '',
    printVerdict(verdict),
    ...(unfired === undefined ? [] : [unfired]),
    '',
    `answers      ${Object.entries(verdict.outcomes)
      .map(([code, n]) => `${code} ${n}`)
      .join(' · ')}`,
    `by replica   ${Object.entries(latency.share)
      .map(([replica, n]) => `${replica} ${n}`)
      .join(' · ')}`,
    `speed        ${latency.requestsPerSecond} requests/s, ${latency.salesPerSecond} sales/s; latency p50 ${latency.p50}, p90 ${latency.p90}, p99 ${latency.p99}, max ${latency.max} ms`,
    `report       ${folder}/report.html`,
  ];
  return lines.join('\n');
}

/** The figures and sentences of a verdict. */
export function printVerdict(verdict: LoadVerdict | CartsVerdict): string {
  const table = new Table({ style: { head: [], border: [] } });
  table.push(
    verdict.sold < 0
      ? ['entered', `+${-verdict.sold} on ${verdict.initial}`]
      : ['sold', `${verdict.sold} of ${verdict.initial}`],
    ['final stock', verdict.finalStock],
    ['oversold units', verdict.oversold],
    ['lost updates', verdict.lostUpdates],
    ['values sold more than once', duplicates(verdict)],
    ['overlapping holders', verdict.overlaps.length],
    ['foreign releases', verdict.foreignReleases.length],
    ['foreign renewals', verdict.foreignRenewals.length],
    ['locks that never end', verdict.stuckLocks.map(({ key }) => key).join(', ') || 0],
    ['dead-locks', verdict.deadLocks.length],
    ['movements without an order', verdict.orphans.length],
    ...('balances' in verdict ? balanceRows(verdict) : []),
    ...verdict.faults.map(({ fault, replica, holding, others, seenBy }) => [
      `fault ${fault}`,
      `on ${replica}${holding ? ', while it held the lock' : ''}${others > 0 ? ` and ${count(others, 'other')} ${others === 1 ? 'was' : 'were'} there` : ''}; seen by ${seenBy ?? 'nobody'}`,
    ]),
    ...(verdict.outageMs === null ? [] : [['lock taken again after', `${verdict.outageMs} ms`]]),
  );
  const words = `${verdict.verdict.toUpperCase()}: ${verdict.because.join('; ')}`;
  const expected = `expected: ${expectationWords(verdict.expected)} — ${verdict.asExpected ? 'as expected' : 'NOT as expected'}`;
  return [table.toString(), words, expected].join('\n');
}

const balanceRows = ({ balances, tornCarts }: CartsVerdict): [string, string | number][] => [
  ['carts sold in part', tornCarts.length],
  ...balances.map(({ sku, verdict, sold, initial, finalStock, oversold, lostUpdates }): [string, string] => [
    `of ${sku}`,
    `${sold} of ${initial} sold, ${finalStock} left, ${oversold} oversold, ${count(lostUpdates, 'update')} lost: ${verdict}`,
  ]),
];

function duplicates({ duplicates: [first, ...more] }: LoadVerdict): string {
  if (first === undefined) return '0';
  const [a, b] = first.sales;
  const example = `e.g. ${first.value}: ${a?.request} on ${a?.replica}, ${b?.request} on ${b?.replica}`;
  return `${more.length + 1} (${example})`;
}

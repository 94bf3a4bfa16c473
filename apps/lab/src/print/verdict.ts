import { count } from '#lab/step';
import type { CartsVerdict, LoadVerdict } from '#lab/verdict';
import Table from 'cli-table3';
import { hostOf, skusOf, whyUnfired, type LoadRun } from '#load-tests/run';
import { nextCommands } from './next';
import { expectationWords } from './words';
import { wrap } from './wrap';

/** A run as a person reads it in a terminal: what came of it, how, the figures, and what to type next. */
export function printRun(run: LoadRun, folder: string): string {
  const { plan, verdict, latency } = run;
  const unfired = whyUnfired(run);
  const options = plan.options;
  const { amountMinor, carts, stock } = plan;
  const wanted =
    amountMinor === undefined
      ? `${count(plan.requests, 'order')}, ${plan.connections} at once, ${count(stock, 'unit')}${carts === undefined ? '' : ` of each of ${skusOf(plan).join(', ')}`}`
      : `${count(plan.requests, 'entry', 'entries')} of ${amountMinor}, ${plan.connections} at once, from a balance of ${stock}`;
  const lines = [
    `${plan.strategy}: ${wanted}, ${count(plan.replicas, `${hostOf(plan)} replica`)}`,
    `work ${options.workMs} ms, lease ${options.leaseMs} ms, wait ${options.waitMs} ms${plan.fault ? `, fault ${plan.fault.header}` : ''}`,
    '',
    printVerdict(verdict),
    ...(unfired === undefined ? [] : [unfired]),
    '',
    `answers       ${Object.entries(verdict.outcomes)
      .map(([code, times]) => `${code} ${times}`)
      .join(' · ')}`,
    `by replica    ${Object.entries(latency.share)
      .map(([replica, times]) => `${replica} ${times}`)
      .join(' · ')}`,
    `speed         ${latency.requestsPerSecond} requests/s, ${latency.salesPerSecond} sales/s; latency p50 ${latency.p50}, p90 ${latency.p90}, p99 ${latency.p99}, max ${latency.max} ms`,
    `report        ${folder}/report.html`,
    ...nextCommands(plan, verdict),
  ];
  return lines.join('\n');
}

/** The headline, how it came about or what prevented it, the figures that are not zero, and what was expected. */
export function printVerdict(verdict: LoadVerdict | CartsVerdict): string {
  const table = new Table({ style: { head: [], border: [] }, wordWrap: true, colWidths: [28, 70] });
  const nonZero = (name: string, value: number | string): [string, string | number][] =>
    value === 0 ? [] : [[name, value]];
  table.push(
    verdict.sold < 0
      ? ['entered', `+${-verdict.sold} on ${verdict.initial}`]
      : ['sold', `${verdict.sold} of ${verdict.initial}`],
    ['final stock', verdict.finalStock],
    ['oversold units', verdict.oversold],
    ['lost updates', verdict.lostUpdates],
    ...nonZero('values sold more than once', duplicates(verdict)),
    ...nonZero('two holders at work', overlapWords(verdict)),
    ...nonZero('foreign releases', verdict.foreignReleases.length),
    ...nonZero('foreign renewals', verdict.foreignRenewals.length),
    ...nonZero('locks that never end', verdict.stuckLocks.map(({ key }) => key).join(', ') || 0),
    ...nonZero('dead-locks', verdict.deadLocks.length),
    ...nonZero('movements without an order', verdict.orphans.length),
    ...nonZero('refused as stale', refusalWords(verdict)),
    ...('balances' in verdict ? balanceRows(verdict) : []),
    ...verdict.faults.map(({ fault, replica, holding, others, seenBy }) => [
      `fault ${fault}`,
      `on ${replica}${holding ? ', while it held the lock' : ''}${others > 0 ? `, with ${count(others, 'other request')} there` : ''}; ${seenBy === null ? 'not observed' : `observed by ${seenBy}`}`,
    ]),
    ...(verdict.outageMs === null ? [] : [['lock taken again after', `${verdict.outageMs} ms`]]),
  );
  const expected = `expected: ${expectationWords(verdict.expected)}: ${verdict.asExpected ? 'as expected' : 'NOT as expected'}`;
  return [
    wrap(verdict.headline, 2),
    ...(verdict.mechanism === null ? [] : [wrap(`how           ${verdict.mechanism}`, 14)]),
    ...(verdict.verdict === 'safe' && verdict.protectedBy.length > 0
      ? verdict.protectedBy.map((what, i) => wrap(`${i === 0 ? 'protected by' : ''.padEnd(12)}  ${what}`, 14))
      : []),
    table.toString(),
    expected,
  ].join('\n');
}

const balanceRows = ({ balances, tornCarts }: CartsVerdict): [string, string | number][] => [
  ['carts sold in part', tornCarts.length],
  ...balances.map(({ sku, mark, sold, initial, finalStock, oversold, lostUpdates }): [string, string] => [
    `of ${sku}`,
    `${sold} of ${initial} sold, ${finalStock} left, ${oversold} oversold, ${count(lostUpdates, 'update')} lost: ${mark}`,
  ]),
];

function duplicates({ duplicates: [first, ...more] }: LoadVerdict): string | 0 {
  if (first === undefined) return 0;
  const [a, b] = first.sales;
  return `${more.length + 1}, e.g. ${first.value}: ${a?.request} on ${a?.replica}, ${b?.request} on ${b?.replica}`;
}

function overlapWords({ overlaps: [first, ...more] }: LoadVerdict): string | 0 {
  if (first === undefined) return 0;
  return `${more.length + 1}, e.g. ${first.first} at work when ${first.second} took ${first.key}`;
}

function refusalWords({ refusals: [first, ...more] }: LoadVerdict): string | 0 {
  if (first === undefined) return 0;
  const by = first.statement === null ? 'by its own knowledge of the loss' : `by ${first.statement}`;
  return `${more.length + 1}, e.g. ${first.request} on ${first.replica}: ${first.code}, ${by}`;
}

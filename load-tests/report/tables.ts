import { count } from '#lab/step';
import { wordsOf, type LoadVerdict } from '#lab/verdict';
import { percentile } from '#load-tests/figures';
import { inMs, type Outcome } from './codes';
import type { Latency } from './headline';
import { markup, type Markup } from './markup';

/** Maximum rows of a table; only the number of further ones is shown. */
const MAX_ROWS = 40;

interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string | Markup;
  readonly numeric?: true;
}

function table<Row>(heading: string, rows: readonly Row[], columns: readonly Column<Row>[]): Markup {
  const more = rows.length - MAX_ROWS;
  const align = ({ numeric }: Column<Row>): string => (numeric ? 'n' : '');
  return markup`<section><h2>${heading}</h2><div class="scroll"><table>
<thead><tr>${columns.map((column) => markup`<th class="${align(column)}">${column.head}</th>`)}</tr></thead>
<tbody>${rows.slice(0, MAX_ROWS).map((row) => markup`<tr>${columns.map((column) => markup`<td class="${align(column)}">${column.cell(row)}</td>`)}</tr>`)}</tbody>
</table></div>${more > 0 && markup`<p class="how">and ${more} more in verdict.json</p>`}</section>`;
}

/** The violations, one table per kind that occurred. */
export function findings(verdict: LoadVerdict): Markup[] {
  const { duplicates, foreignReleases, foreignRenewals, overlaps, stuckLocks, orphans } = verdict;
  const { moved, anOrder } = wordsOf(verdict);
  const isStock = verdict.kind === 'stock';
  const found = [
    duplicates.length > 0 &&
      table(
        isStock
          ? `Sold more than once: ${count(duplicates.length, 'remaining value')}`
          : `Equal new balances: ${duplicates.length}`,
        duplicates,
        [
          {
            head: isStock ? 'units left' : 'balance',
            numeric: true,
            cell: ({ value }) => value.toLocaleString('en'),
          },
          { head: `was ${moved}`, numeric: true, cell: ({ sales }) => `${sales.length} ×` },
          { head: 'by', cell: ({ sales }) => sellers(sales) },
        ],
      ),
    overlaps.length > 0 &&
      table(`Two holders of one lock: ${count(overlaps.length, 'time')}`, overlaps, [
        { head: 'still at work', cell: ({ first }) => code(first) },
        { head: 'took the lock', cell: ({ second }) => code(second) },
        { head: 'lock', cell: ({ key }) => code(key) },
      ]),
    foreignReleases.length > 0 &&
      table(`Released another holder’s lock: ${count(foreignReleases.length, 'time')}`, foreignReleases, [
        { head: 'deleted by', cell: ({ by }) => code(by) },
        { head: 'belonged to', cell: ({ owner }) => code(owner) },
        { head: 'lock', cell: ({ key }) => code(key) },
      ]),
    foreignRenewals.length > 0 &&
      table(`Renewed another holder’s lock: ${count(foreignRenewals.length, 'time')}`, foreignRenewals, [
        { head: 'renewed by', cell: ({ by }) => code(by) },
        { head: 'belonged to', cell: ({ owner }) => code(owner) },
        { head: 'lock', cell: ({ key }) => code(key) },
      ]),
    stuckLocks.length > 0 &&
      table('Locks without expiry', stuckLocks, [
        { head: 'lock', cell: ({ key }) => code(key) },
        { head: 'value', cell: ({ value }) => code(value ?? 'none') },
      ]),
    orphans.length > 0 &&
      table(`Movements without ${anOrder}: ${orphans.length}`, orphans, [{ head: 'request', cell: code }]),
  ];
  return found.filter((one) => one !== false);
}

/** Refused stale writers, and the check that refused them: proof that a broken lock did no harm. */
export const refusalTable = ({ refusals }: LoadVerdict): Markup | null =>
  refusals.length === 0
    ? null
    : table(`Refused as stale: ${count(refusals.length, 'request')}`, refusals, [
        { head: 'request', cell: ({ request, replica }) => markup`${code(request)} on ${replica}` },
        { head: 'answer', cell: (refusal) => code(refusal.code) },
        {
          head: 'refused by',
          cell: ({ statement }) =>
            statement === null
              ? 'the holder itself, which noticed the loss'
              : markup`${code(statement)}: no row changed`,
        },
      ]);

/** A longer text may be broken within a word, so that a table is not wider than a phone by one key. */
const MAX_UNBROKEN = 24;

const code = (text: string): Markup =>
  text.length > MAX_UNBROKEN ? markup`<code class="long">${text}</code>` : markup`<code>${text}</code>`;

const MAX_SELLERS = 6;

const sellers = (sales: LoadVerdict['duplicates'][number]['sales']): Markup =>
  markup`${sales.slice(0, MAX_SELLERS).map(({ request, replica }, i) => markup`${i > 0 && ' and by '}${code(request)} on ${replica}`)}${sales.length > MAX_SELLERS && ` and ${sales.length - MAX_SELLERS} more`}`;

export const faultTable = ({ faults, outageMs }: LoadVerdict): Markup | null =>
  faults.length === 0
    ? null
    : table(
        `Faults that fired${outageMs === null ? '' : `; the lock was taken again after ${inMs(outageMs)}`}`,
        faults,
        [
          { head: 'fault', cell: ({ fault }) => code(fault) },
          { head: 'at the step', cell: ({ at }) => code(at) },
          { head: 'of request', cell: ({ request, replica }) => markup`${code(request)} on ${replica}` },
          { head: 'held a lock', cell: ({ holding }) => (holding ? 'yes' : 'no') },
          {
            head: 'seen by',
            cell: ({ seenBy }) => seenBy ?? markup`<strong class="bad">no other process</strong>`,
          },
        ],
      );

export function outcomeTable(outcomes: readonly Outcome[]): Markup | null {
  const all = outcomes.reduce((sum, { answers }) => sum + answers.length, 0);
  if (all === 0) return null;
  return table('Outcomes', outcomes, [
    { head: 'code', cell: (outcome) => code(outcome.code) },
    { head: 'status', cell: ({ answers }) => [...new Set(answers.map(({ status }) => status))].join(', ') },
    { head: 'answers', numeric: true, cell: ({ answers }) => answers.length.toLocaleString('en') },
    { head: 'share', numeric: true, cell: ({ answers }) => `${((100 * answers.length) / all).toFixed(1)} %` },
    { head: 'median', numeric: true, cell: ({ tookMs }) => inMs(percentile(tookMs, 0.5)) },
    { head: 'p99', numeric: true, cell: ({ tookMs }) => inMs(percentile(tookMs, 0.99)) },
    { head: 'longest', numeric: true, cell: ({ tookMs }) => inMs(tookMs.at(-1) ?? 0) },
  ]);
}

/** The latencies of an open loop, with and without the wait of requests that were sent late, and the rate that was offered. */
export function openLoopTable(latency: Latency | undefined): Markup | null {
  if (latency?.offered === undefined || latency.uncorrected === undefined) return null;
  const { offered, uncorrected } = latency;
  const rate = `${offered.perSecond.toFixed(1)} of ${offered.askedPerSecond} requests/s were offered`;
  const rows = [
    { from: 'its due time', figures: latency },
    { from: 'its send (uncorrected)', figures: uncorrected },
  ];
  return table(`Open loop: ${rate}${offered.asAsked ? '' : ', NOT the requested rate'}`, rows, [
    { head: 'latency of a request since', cell: ({ from }) => from },
    { head: 'median', numeric: true, cell: ({ figures }) => inMs(figures.p50) },
    { head: 'p90', numeric: true, cell: ({ figures }) => inMs(figures.p90) },
    { head: 'p99', numeric: true, cell: ({ figures }) => inMs(figures.p99) },
    { head: 'longest', numeric: true, cell: ({ figures }) => inMs(figures.max) },
  ]);
}

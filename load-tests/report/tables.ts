import type { BalanceWords, LoadVerdict } from '#lab/verdict';
import { percentile } from '#load-tests/figures';
import { inMs, type Outcome } from './codes';
import type { Latency } from './headline';
import { markup, type Markup } from './markup';
import type { ReportTexts } from './texts';

/** Maximum rows of a table; only the number of further ones is shown. */
const MAX_ROWS = 40;

interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string | Markup;
  readonly numeric?: true;
}

function table<Row>(
  heading: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  t: ReportTexts,
): Markup {
  const more = rows.length - MAX_ROWS;
  const align = ({ numeric }: Column<Row>): string => (numeric ? 'n' : '');
  return markup`<section><h2>${heading}</h2><div class="scroll"><table>
<thead><tr>${columns.map((column) => markup`<th class="${align(column)}">${column.head}</th>`)}</tr></thead>
<tbody>${rows.slice(0, MAX_ROWS).map((row) => markup`<tr>${columns.map((column) => markup`<td class="${align(column)}">${column.cell(row)}</td>`)}</tr>`)}</tbody>
</table></div>${more > 0 && markup`<p class="how">${t.more(more)}</p>`}</section>`;
}

/** The violations, one table per kind that occurred. */
export function findings(verdict: LoadVerdict, words: BalanceWords, t: ReportTexts): Markup[] {
  const { duplicates, foreignReleases, foreignRenewals, overlaps, stuckLocks, orphans } = verdict;
  const { heads } = t;
  const isStock = verdict.kind === 'stock';
  const lockColumn = { head: heads.lock, cell: ({ key }: { readonly key: string }) => code(key) };
  const ownerColumn = { head: heads.owner, cell: ({ owner }: { readonly owner: string }) => code(owner) };
  const found = [
    duplicates.length > 0 &&
      table(
        t.duplicates(duplicates.length, isStock),
        duplicates,
        [
          { head: heads.left(isStock), numeric: true, cell: ({ value }) => value.toLocaleString('en') },
          { head: heads.moved(words), numeric: true, cell: ({ sales }) => `${sales.length} ×` },
          { head: heads.by, cell: ({ sales }) => sellers(sales, t) },
        ],
        t,
      ),
    overlaps.length > 0 &&
      table(
        t.overlaps(overlaps.length),
        overlaps,
        [
          { head: heads.atWork, cell: ({ first }) => code(first) },
          { head: heads.taker, cell: ({ second }) => code(second) },
          lockColumn,
        ],
        t,
      ),
    foreignReleases.length > 0 &&
      table(
        t.foreignReleases(foreignReleases.length),
        foreignReleases,
        [{ head: heads.deletedBy, cell: ({ by }) => code(by) }, ownerColumn, lockColumn],
        t,
      ),
    foreignRenewals.length > 0 &&
      table(
        t.foreignRenewals(foreignRenewals.length),
        foreignRenewals,
        [{ head: heads.renewedBy, cell: ({ by }) => code(by) }, ownerColumn, lockColumn],
        t,
      ),
    stuckLocks.length > 0 &&
      table(
        t.stuckLocks,
        stuckLocks,
        [lockColumn, { head: heads.value, cell: ({ value }) => code(value ?? t.none) }],
        t,
      ),
    orphans.length > 0 &&
      table(t.orphans(orphans.length, words), orphans, [{ head: heads.request, cell: code }], t),
  ];
  return found.filter((one) => one !== false);
}

/** Refused stale writers, and the check that refused them: proof that a broken lock did no harm. */
export const refusalTable = ({ refusals }: LoadVerdict, t: ReportTexts): Markup | null =>
  refusals.length === 0
    ? null
    : table(
        t.refusals(refusals.length),
        refusals,
        [
          { head: t.heads.request, cell: ({ request, replica }) => t.onReplica(code(request), replica) },
          { head: t.heads.answer, cell: (refusal) => code(refusal.code) },
          {
            head: t.heads.refusedBy,
            cell: ({ statement }) =>
              statement === null ? t.refusedByHolder : t.noRowChanged(code(statement)),
          },
        ],
        t,
      );

/** A longer text may be broken within a word, so that a table is not wider than a phone by one key. */
const MAX_UNBROKEN = 24;

const code = (text: string): Markup =>
  text.length > MAX_UNBROKEN ? markup`<code class="long">${text}</code>` : markup`<code>${text}</code>`;

const MAX_SELLERS = 6;

function sellers(sales: LoadVerdict['duplicates'][number]['sales'], t: ReportTexts): Markup {
  const named = sales
    .slice(0, MAX_SELLERS)
    .map(({ request, replica }) => t.onReplica(code(request), replica));
  return t.sellers(named, sales.length - named.length);
}

export const faultTable = ({ faults, outageMs }: LoadVerdict, t: ReportTexts): Markup | null =>
  faults.length === 0
    ? null
    : table(
        t.faults(outageMs === null ? undefined : inMs(outageMs)),
        faults,
        [
          { head: t.heads.fault, cell: ({ fault }) => code(fault) },
          { head: t.heads.step, cell: ({ at }) => code(at) },
          { head: t.heads.ofRequest, cell: ({ request, replica }) => t.onReplica(code(request), replica) },
          { head: t.heads.held, cell: ({ holding }) => (holding ? t.yes : t.no) },
          {
            head: t.heads.seenBy,
            cell: ({ seenBy }) =>
              seenBy === null ? markup`<strong class="bad">${t.noWitness}</strong>` : t.witness(seenBy),
          },
        ],
        t,
      );

export function outcomeTable(outcomes: readonly Outcome[], t: ReportTexts): Markup | null {
  const { heads } = t;
  const all = outcomes.reduce((sum, { answers }) => sum + answers.length, 0);
  if (all === 0) return null;
  return table(
    t.outcomes,
    outcomes,
    [
      { head: heads.code, cell: (outcome) => code(outcome.code) },
      {
        head: heads.status,
        cell: ({ answers }) => [...new Set(answers.map(({ status }) => status))].join(', '),
      },
      { head: heads.answers, numeric: true, cell: ({ answers }) => answers.length.toLocaleString('en') },
      {
        head: heads.share,
        numeric: true,
        cell: ({ answers }) => `${((100 * answers.length) / all).toFixed(1)} %`,
      },
      { head: heads.median, numeric: true, cell: ({ tookMs }) => inMs(percentile(tookMs, 0.5)) },
      { head: 'p99', numeric: true, cell: ({ tookMs }) => inMs(percentile(tookMs, 0.99)) },
      { head: heads.longest, numeric: true, cell: ({ tookMs }) => inMs(tookMs.at(-1) ?? 0) },
    ],
    t,
  );
}

/** The latencies of an open loop, with and without the wait of requests that were sent late, and the rate that was offered. */
export function openLoopTable(latency: Latency | undefined, t: ReportTexts): Markup | null {
  if (latency?.offered === undefined || latency.uncorrected === undefined) return null;
  const { offered, uncorrected } = latency;
  const { heads } = t;
  const rows = [
    { from: t.sinceDue, figures: latency },
    { from: t.sinceSend, figures: uncorrected },
  ];
  return table(
    t.openLoop(offered.perSecond.toFixed(1), offered.askedPerSecond, offered.asAsked),
    rows,
    [
      { head: heads.since, cell: ({ from }) => from },
      { head: heads.median, numeric: true, cell: ({ figures }) => inMs(figures.p50) },
      { head: 'p90', numeric: true, cell: ({ figures }) => inMs(figures.p90) },
      { head: 'p99', numeric: true, cell: ({ figures }) => inMs(figures.p99) },
      { head: heads.longest, numeric: true, cell: ({ figures }) => inMs(figures.max) },
    ],
    t,
  );
}

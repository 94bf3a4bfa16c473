import { count } from '#lab/step';
import Table from 'cli-table3';
import type { Finding, FuzzRun } from '#load-tests/fuzz';

const COLUMNS = ['2xx', '400', '404', '405', '4xx', '409', '423', '501', '5xx', 'none'] as const;
type Column = (typeof COLUMNS)[number];

function columnOf(status: number): Column {
  const own = COLUMNS.find((column) => column === String(status));
  if (own !== undefined) return own;
  if (status === 0) return 'none';
  if (status >= 500) return '5xx';
  return status >= 400 ? '4xx' : '2xx';
}

/** Findings that are the same fault, as a rule: one of them is shown, with their number. */
function alike(findings: readonly Finding[]): Map<string, Finding[]> {
  const kinds = new Map<string, Finding[]>();
  for (const finding of findings) {
    const kind = `${finding.endpoint} @${finding.side}: ${finding.what}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), finding]);
  }
  return kinds;
}

const LONGEST_LINE = 1500;
const cut = (text: string): string =>
  text.length <= LONGEST_LINE ? text : `${text.slice(0, LONGEST_LINE)} … (--json has all of it)`;

/** Endpoints × statuses, codes, and each kind of finding with one request that shows it. */
export function printFuzz(run: FuzzRun): string {
  const table = new Table({
    head: ['endpoint', ...COLUMNS],
    colAligns: ['left', ...COLUMNS.map(() => 'right' as const)],
    style: { head: [], border: [] },
  });
  for (const [endpoint, statuses] of [...run.tally].sort(([a], [b]) => a.localeCompare(b))) {
    const counts = new Map<Column, number>();
    for (const [status, n] of statuses) counts.set(columnOf(status), (counts.get(columnOf(status)) ?? 0) + n);
    table.push([endpoint, ...COLUMNS.map((column) => counts.get(column) ?? '')]);
  }
  const codes = [...run.codes].sort(([, a], [, b]) => b - a).map(([code, n]) => `${code} ${n}`);
  const kinds = [...alike(run.findings)];
  return [
    table.toString(),
    codes.join(', '),
    `seed ${run.seed}: ${count(run.requests, 'request')} in ${run.seconds.toFixed(1)} s; refused as the documents forbid them: ${run.forbidden}; after ${count(run.unchanged, 'refusal')} nothing had changed`,
    ...kinds.flatMap(([kind, [first, ...others]]) =>
      first === undefined
        ? []
        : [
            '',
            `FINDING ${kind}${others.length > 0 ? ` (and ${others.length} more)` : ''}`,
            `  ${cut(first.answer)}`,
            `  ${cut(first.curl)}`,
            `  lab fuzz --seed ${run.seed} --only ${first.index}`,
          ],
    ),
    '',
    kinds.length === 0
      ? 'no findings'
      : `${count(run.findings.length, 'finding')} of ${count(kinds.length, 'kind')}`,
  ].join('\n');
}

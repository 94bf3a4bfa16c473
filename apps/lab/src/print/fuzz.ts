import { count } from '#lab/step';
import type { Finding, FuzzRun } from '#load-tests/fuzz';
import { renderTable } from './table';
import { cut, fields, wrap } from './wrap';

const COLUMNS = ['2xx', '400', '404', '405', '4xx', '409', '423', '501', '5xx', 'none'] as const;
type Column = (typeof COLUMNS)[number];

function columnOf(status: number): Column {
  const own = COLUMNS.find((column) => column === String(status));
  if (own !== undefined) return own;
  if (status === 0) return 'none';
  if (status >= 500) return '5xx';
  return status >= 400 ? '4xx' : '2xx';
}

/** Groups findings that usually have the same cause: the first one is printed, with the number of the others. */
function groupByKind(findings: readonly Finding[]): [kind: string, findings: Finding[]][] {
  const kinds = new Map<string, Finding[]>();
  for (const finding of findings) {
    const kind = `${finding.endpoint} @${finding.side}: ${finding.what}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), finding]);
  }
  return [...kinds];
}

const LONGEST_TEXT = 1500;

/** The verdict, each kind of finding with one request that shows it, and endpoints × statuses. */
export function printFuzz(run: FuzzRun, verbose: boolean): string {
  const kinds = groupByKind(run.findings);
  const codes = [...run.codes].sort(([, a], [, b]) => b - a).map(([code, n]) => `${code} ${n}`);
  const sent = `${count(run.requests, 'request')}, seed ${run.seed}`;
  return [
    kinds.length === 0
      ? `NO FINDINGS: ${sent}`
      : `${count(run.findings.length, 'finding')} of ${count(kinds.length, 'kind')}: ${sent}`,
    ...kinds.flatMap(([kind, [first, ...others]]) =>
      first === undefined
        ? []
        : [
            '',
            wrap(`FINDING ${kind}${others.length > 0 ? ` (and ${others.length} more)` : ''}`, 2),
            ...[first.answer, first.curl].map((text) => cut(`  ${text}`, verbose ? LONGEST_TEXT : undefined)),
            `  npx lab fuzz --seed ${run.seed} --only ${first.index}`,
          ],
    ),
    '',
    statusTable(run),
    '',
    fields([
      ['rejected requests that the API documents forbid', run.forbidden],
      ['rejections after which no data had changed', run.unchanged],
      ['time', `${run.seconds.toFixed(1)} s`],
      ...(verbose ? [['codes', codes.join(', ')] as const] : []),
    ]),
  ].join('\n');
}

function statusTable({ tally }: FuzzRun): string {
  const rows = [...tally]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([endpoint, statuses]) => {
      const counts = new Map<Column, number>();
      for (const [status, n] of statuses)
        counts.set(columnOf(status), (counts.get(columnOf(status)) ?? 0) + n);
      return [endpoint, ...COLUMNS.map((column) => counts.get(column) ?? '')];
    });
  return renderTable({ head: ['endpoint', ...COLUMNS], rows });
}

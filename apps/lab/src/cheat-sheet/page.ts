import {
  findExploredLimiter,
  isNotApplicable,
  SUMMARY_COLUMNS,
  type MatrixCell,
  type SavedMatrix,
} from '#lab/explore';
import { findGuard } from '#lab/guard';
import { findLimiter } from '#lab/limit';
import { findStrategy } from '#lab/strategy';
import { MARKS, worstHarm, type AnyViolationKind, type Mark, type Language } from '#lab/verdict';
import { Markup, markup } from '#load-tests/report';
import { NEEDS, type Recommendation } from './needs';
import { TEXTS, type Circumstance, type SheetTexts } from './texts';

/** A circumstance that a recommendation does not survive, with what happens. */
export interface Failing {
  readonly circumstance: Circumstance;
  readonly mark: Mark;
}

/** The one page "which strategy for which need" as HTML for printing on A4, computed from the matrix and the catalogues. */
export function renderCheatSheet(matrix: SavedMatrix, language: Language): string {
  const texts = TEXTS[language];
  const { redis, mysql, node } = matrix.conditions;
  const versions = `Redis ${String(redis)}, ${String(mysql)}, Node.js ${String(node)}`;
  return markup`<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.title}</title><style>${new Markup(STYLE)}</style></head>
<body><main>
<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
<table>
<thead><tr>${texts.columns.map((column) => markup`<th>${column}</th>`)}</tr></thead>
${NEEDS.map(
  ({ title, use }) => markup`<tbody>
${use.map(
  (
    one,
    i,
  ) => markup`<tr>${i === 0 && markup`<th rowspan="${use.length}" scope="rowgroup">${title[language]}</th>`}
<td><code>${one.name}</code> <span>${one.why[language]}</span></td>
<td class="cost">${costOf(one, matrix, texts)}</td>
<td>${failingCell(failingOf(one, matrix), texts)}</td></tr>
`,
)}</tbody>
`,
)}</table>
<footer>
<p>${Object.entries(MARKS).map(([mark, { sign }]) => markup`<span class="${mark}">${sign}</span> ${texts.marks[mark as Mark]} `)}</p>
${texts.notes.map((note) => markup`<p>${note}</p>`)}
<p>${texts.source(versions)} ${texts.license}.</p>
</footer>
</main></body>
</html>
`.text;
}

const rowOf = ({ rows }: SavedMatrix, name: string): SavedMatrix['rows'][number] => {
  const row = rows.find(({ strategy }) => strategy === name);
  if (row === undefined) throw new Error(`the matrix has no strategy "${name}"`);
  return row;
};

function costOf({ kind, name }: Recommendation, matrix: SavedMatrix, texts: SheetTexts): string {
  if (kind !== 'strategy') return '–';
  const { redis, sql } = rowOf(matrix, name).cost;
  return texts.calls(redis, sql, findStrategy(name).needs ?? []);
}

/** What a recommendation does not survive, in the order of the columns. */
export function failingOf({ kind, name }: Recommendation, matrix: SavedMatrix): Failing[] {
  switch (kind) {
    case 'strategy':
      return failingCells(rowOf(matrix, name).cells);
    case 'guard':
      return expectedFailures(findGuard(name).expected);
    case 'limiter':
      return expectedFailures({
        ...findExploredLimiter(`limit/${name}`).expected,
        ...findLimiter(name).expected,
      });
  }
}

/** The columns of the summary with a mark other than safe. A strategy that fails without a fault fails in every column. */
function failingCells(cells: readonly MatrixCell[]): Failing[] {
  const failing = (Object.keys(SUMMARY_COLUMNS) as Circumstance[]).flatMap((circumstance) => {
    const cell = cells.find((one) => one.cell === circumstance);
    if (cell === undefined || isNotApplicable(cell) || cell.mark === 'safe') return [];
    return [{ circumstance, mark: cell.mark }];
  });
  return failing.some(({ circumstance }) => circumstance === WITHOUT_FAULT)
    ? failing.filter(({ circumstance }) => circumstance === WITHOUT_FAULT)
    : failing;
}

const WITHOUT_FAULT: Circumstance = 'two processes';

type Expected = Readonly<
  Record<string, { readonly must: readonly AnyViolationKind[]; readonly may?: readonly AnyViolationKind[] }>
>;

const expectedFailures = (expected: Expected): Failing[] =>
  Object.entries(expected).flatMap(([circumstance, { must, may = [] }]) => {
    const mark = worstHarm([...must, ...may]);
    return mark === undefined ? [] : [{ circumstance: circumstance as Circumstance, mark }];
  });

/** Each mark with its circumstances, the worst first. */
function failingCell(failing: readonly Failing[], texts: SheetTexts): Markup {
  if (failing.length === 0) return markup`<span class="safe">${MARKS.safe.sign} ${texts.nothing}</span>`;
  const marks = (Object.keys(MARKS) as Mark[]).filter((mark) => failing.some((one) => one.mark === mark));
  return markup`${marks.map((mark) => {
    const words = failing
      .filter((one) => one.mark === mark)
      .map(({ circumstance }) => texts.circumstances[circumstance] ?? circumstance);
    return markup`<span class="${mark}"><b>${MARKS[mark].sign}</b> ${words.join(' · ')}</span> `;
  })}`;
}

/** One page of A4, landscape; the screen shows the same. */
const STYLE = `
@page { size: A4 landscape; margin: 9mm 11mm; }
* { box-sizing: border-box; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
body { margin: 0; color: #11151d; background: #fff; font: 10.5px/1.32 "Liberation Sans", Arial, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
main { max-width: 275mm; margin: 0 auto; }
@media screen { main { padding: 9mm 0; } }
h1 { margin: 0; font-size: 21px; line-height: 1.2; }
.lead { margin: 2px 0 6px; font-size: 12px; color: #4c5566; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 2px 8px 2px 0; }
thead th { color: #4c5566; font-weight: 400; border-bottom: 1.5px solid #11151d; }
tbody { break-inside: avoid; border-bottom: 1px solid #c9ced8; }
tbody th { width: 17%; font-size: 11.5px; }
.cost { width: 14%; white-space: nowrap; }
td:last-child { width: 32%; }
code { font: 700 10.5px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: nowrap; }
td > span { display: inline; }
td:last-child > span { display: block; }
.data-wrong { color: #b3151c; } .unavailable { color: #7a1fa2; } .lock-broken { color: #8a5a00; }
.safe { color: #14692f; } .unknown { color: #4c5566; }
footer { margin-top: 6px; color: #4c5566; font-size: 9.5px; }
footer p { margin: 1px 0; } footer span { font-weight: 700; }
`;

import type { BalanceWords, Evidence } from '#lab/verdict';
import { markup, type Markup } from '../markup';
import { linear, time } from '../scale';
import type { ReportTexts } from '../texts';
import type { Sale, Timeline } from '../timeline';
import { ACROSS, chart, faultMarks, marksHeight, type Figure, type LegendEntry } from './chart';

/** Above this number, unmarked sales are thinned out; marked ones are always drawn. */
const MAX_PLAIN = 1500;

/** The stock or balance that each movement computed, against the true one after all movements so far. */
export function stockPlot(
  { initial, finalStock }: Evidence,
  timeline: Timeline,
  words: BalanceWords,
  t: ReportTexts,
): Figure {
  const { sales, measured, faults } = timeline;
  const heading = t.stock.heading(words);
  const [last] = sales.slice(-1);
  if (last === undefined) return { heading, how: t.stock.nothing(words), entries: [] };
  const marks = measured ? faults : [];
  const top = 14 + marksHeight(marks);
  const bottom = top + 300;
  const lowest = Math.min(0, last.left, ...sales.map(({ movement }) => movement.after));
  const highest = Math.max(initial, 1, last.left, ...sales.map((sale) => sale.movement.after));
  const y = linear([lowest, highest], [bottom, top]);
  const end = measured ? Math.max(last.at, ...marks.map(({ at }) => at)) : sales.length;
  const clock = time([Math.min(0, sales[0]?.at ?? 0), end * 1.02], ACROSS);
  const x = measured ? clock : linear([0, end], ACROSS);
  const replicas = [...new Set(sales.map(({ movement }) => movement.replica))].sort();
  const color = (sale: Sale): string => `r${replicas.indexOf(sale.movement.replica) % 6}`;

  const truth = sales.map(({ at, left }) => `H${x(at).toFixed(1)}V${y(left).toFixed(1)}`).join('');
  const every = Math.ceil(sales.length / MAX_PLAIN);
  const shown = sales.filter((sale, i) => i % every === 0 || sale.duplicate || sale.oversold);
  const xTitle = measured ? t.time(clock.unit) : t.stock.inOrder(words);
  const plot = chart(
    {
      height: bottom + 46,
      top,
      bottom,
      x,
      xTitle,
      y,
      yTitle: t.stock.left(words),
    },
    [
      markup`<line class="axis" x1="${ACROSS[0]}" x2="${ACROSS[1]}" y1="${y(0)}" y2="${y(0)}"/>`,
      lowest < 0
        ? markup`<rect class="below" x="${ACROSS[0]}" width="${ACROSS[1] - ACROSS[0]}" y="${y(0)}" height="${y(lowest) - y(0)}"/>`
        : markup``,
      markup`<path class="truth" d="M${ACROSS[0]},${y(initial)}${truth}"/>`,
      ...shown.map((sale) => dot(sale, x(sale.at), y(sale.movement.after), color(sale), words, t)),
      ...faultMarks(marks, x, top, bottom, t),
    ],
  );
  const thinned = every > 1 ? t.stock.thinned(words, sales.length, every) : '';
  const how = t.stock.how(words, initial, finalStock) + thinned;
  return { heading, how, entries: entries(replicas, sales, words, t), plot };
}

function dot(
  { movement, duplicate, oversold, at }: Sale,
  x: number,
  y: number,
  color: string,
  words: BalanceWords,
  { stock }: ReportTexts,
): Markup {
  const { after, request, replica } = movement;
  const title = [
    stock.dot(words, after, request, replica, Math.round(at)),
    ...(oversold ? [stock.overtakenDot(words)] : []),
    ...(duplicate ? [stock.duplicateDot(words)] : []),
  ].join('');
  return markup`<g><title>${title}</title><circle class="${color}" cx="${x}" cy="${y}" r="3.4"/>${duplicate && ring(x, y)}${oversold && cross(x, y)}</g>`;
}

const ring = (x: number, y: number): Markup => markup`<circle class="ring" cx="${x}" cy="${y}" r="5.6"/>`;

const cross = (x: number, y: number): Markup =>
  markup`<path class="cross" d="M${x - 4},${y - 4}l8,8m0,-8l-8,8"/>`;

const entries = (
  replicas: readonly string[],
  sales: readonly Sale[],
  words: BalanceWords,
  { stock }: ReportTexts,
): LegendEntry[] => [
  ...replicas.map((text, i) => ({ text, mark: markup`<circle class="r${i % 6}" cx="8" cy="8" r="4.5"/>` })),
  { text: stock.truth(words), mark: markup`<path class="truth" d="M0,8H16"/>` },
  ...(sales.some(({ duplicate }) => duplicate) ? [{ text: stock.duplicate(words), mark: ring(8, 8) }] : []),
  ...(sales.some(({ oversold }) => oversold) ? [{ text: stock.overtaken(words), mark: cross(8, 8) }] : []),
];

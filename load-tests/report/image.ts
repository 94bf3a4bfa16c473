import { cut, Markup, markup } from './markup';
import { WIDTH, type Figure, type LegendEntry } from './plots/chart';
import { IMAGE_STYLE } from './style';

/** Pixels. The plot has its own margins. */
const MARGIN = 24;
const HEAD = 72;
const LEGEND_ROW = 24;
const FOOT = 30;
/** Average width of a letter of the legend; a Chinese character is as wide as two. */
const LETTER = 7.6;
const WIDE = /[\p{Script=Han}，：；（）]/gu;
const MARK = 16;
const MOST_TITLE = 118;
/** The license of an image. */
export const CREDIT = 'Oversell Lab, CC BY 4.0';

/**
 * A figure as one SVG file with its heading, `title`, legend and plot, for slides: light, without CSS variables. Undefined: it has no
 * plot.
 */
export function renderImage({ heading, entries, plot }: Figure, title: string): string | undefined {
  if (plot === undefined) return undefined;
  const rows = legendRows(entries);
  const top = HEAD + rows.length * LEGEND_ROW;
  const height = top + plot.height + FOOT;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
<style>${new Markup(IMAGE_STYLE)}</style>
<rect class="paper" width="${WIDTH}" height="${height}"/>
<text class="heading" x="${MARGIN}" y="34">${heading}</text>
<text x="${MARGIN}" y="56">${cut(title, MOST_TITLE)}</text>
${rows.map((row, i) => row.map(({ mark, text, x }) => markup`<g transform="translate(${x} ${HEAD + i * LEGEND_ROW})">${mark}<text x="${MARK + 6}" y="13">${text}</text></g>`))}
<g transform="translate(0 ${top})">${plot.content}</g>
<text x="${WIDTH - MARGIN}" y="${height - 10}" text-anchor="end">${CREDIT}</text>
</svg>
`.text;
}

const lettersOf = (text: string): number => text.length + (text.match(WIDE)?.length ?? 0);

/** The entries of a legend, each with its left edge, in as many rows as they need. */
function legendRows(entries: readonly LegendEntry[]): (LegendEntry & { readonly x: number })[][] {
  const rows: (LegendEntry & { readonly x: number })[][] = [];
  let x = Infinity;
  for (const entry of entries) {
    const width = MARK + 6 + lettersOf(entry.text) * LETTER + 20;
    if (x + width > WIDTH - MARGIN) {
      rows.push([]);
      x = MARGIN;
    }
    rows.at(-1)?.push({ ...entry, x });
    x += width;
  }
  return rows;
}

import { cut, markup, type Markup } from '../markup';
import type { Scale } from '../scale';
import type { ReportTexts } from '../texts';
import type { Annotation } from '../timeline';

/** Pixel measures of every plot, before it is scaled to the page. */
export const WIDTH = 1000;
export const LEFT = 72;
export const RIGHT = 30;
/** The pixel range of an x axis that begins at LEFT. */
export const ACROSS = [LEFT, WIDTH - RIGHT] as const;

interface ChartOptions {
  readonly height: number;
  readonly top: number;
  /** Where the plot area ends; axis labels go below. */
  readonly bottom: number;
  readonly left?: number;
  readonly x: Scale;
  readonly xTitle: string;
  readonly y?: Scale;
  readonly yTitle?: string;
}

/** A drawing, `WIDTH` wide. */
export interface Plot {
  readonly height: number;
  readonly content: Markup;
}

/** Axes and grid with `content`. */
export function chart(options: ChartOptions, content: readonly Markup[]): Plot {
  const { height, top, bottom, x, xTitle, y, yTitle, left = LEFT } = options;
  const right = WIDTH - RIGHT;
  const middle = (top + bottom) / 2;
  const drawn = markup`${x.ticks.map((tick) => markup`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${top}" y2="${bottom}"/><text x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${x.label(tick)}</text>`)}
${y?.ticks.map((tick) => markup`<line class="grid" x1="${left}" x2="${right}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${y.label(tick)}</text>`)}
${content}
<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>
<text class="title" x="${(left + right) / 2}" y="${bottom + 38}" text-anchor="middle">${xTitle}</text>
${yTitle !== undefined && markup`<text class="title" transform="translate(14 ${middle}) rotate(-90)" text-anchor="middle">${yTitle}</text>`}`;
  return { height, content: drawn };
}

/** One entry of a legend: `mark` is drawn in a box of 16 × 16 pixels. */
export interface LegendEntry {
  readonly mark: Markup;
  readonly text: string;
}

const legend = (entries: readonly LegendEntry[]): Markup =>
  markup`<ul class="legend">${entries.map(({ mark, text }) => markup`<li><svg viewBox="0 0 16 16" aria-hidden="true">${mark}</svg>${text}</li>`)}</ul>`;

export const swatch = (className: string): Markup =>
  markup`<rect class="${className}" x="2" y="2" width="12" height="12" rx="2"/>`;

/** A plot with its heading, its legend, and a sentence on how to read it. Without a plot the sentence says what is missing. */
export interface Figure {
  readonly heading: string;
  readonly how: string;
  readonly entries: readonly LegendEntry[];
  readonly plot?: Plot;
}

/** The figure as a part of a page. */
export const section = ({ heading, how, entries, plot }: Figure): Markup =>
  markup`<section><h2>${heading}</h2><p class="how">${how}</p>${entries.length > 0 && legend(entries)}${plot !== undefined && markup`<div class="scroll" tabindex="0"><svg viewBox="0 0 ${WIDTH} ${plot.height}" role="img" aria-label="${heading}">${plot.content}</svg></div>`}</section>`;

const MAX_MARKS = 30;
const LETTER_WIDTH = 8.4;
const LABEL_ROWS = 2;

/** Height that the labels of fault marks need above the plot, pixels. */
export const marksHeight = (marks: readonly Annotation[]): number =>
  marks.length === 0 ? 0 : LABEL_ROWS * 17 + 4;

/** One line per fault, with a label where there is room, in two rows above `top`. */
export function faultMarks(
  marks: readonly Annotation[],
  x: Scale,
  top: number,
  bottom: number,
  t: ReportTexts,
): Markup[] {
  const taken = Array.from({ length: LABEL_ROWS }, () => -Infinity);
  return marks.slice(0, MAX_MARKS).map(({ at, label, replica, request }) => {
    const text = cut(label, 44);
    const width = text.length * LETTER_WIDTH + 10;
    const toTheLeft = x(at) + width > WIDTH - RIGHT;
    const start = toTheLeft ? x(at) - width : x(at);
    const row = taken.findIndex((end) => end <= start);
    if (row >= 0) taken[row] = start + width;
    const y = top - 6 - Math.max(row, 0) * 17;
    return markup`<g class="fault"><title>${t.fired(label, replica, request)}</title><line x1="${x(at)}" x2="${x(at)}" y1="${row >= 0 ? y - 11 : top}" y2="${bottom}"/>${row >= 0 && markup`<text x="${x(at) + (toTheLeft ? -5 : 5)}" y="${y}" text-anchor="${toTheLeft ? 'end' : 'start'}">${text}</text>`}</g>`;
  });
}

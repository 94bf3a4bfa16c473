import type { BalanceWords } from '#lab/verdict';
import type { Interval } from '../intervals';
import { markup, type Markup } from '../markup';
import type { Scale } from '../scale';
import type { ReportTexts } from '../texts';
import { RIGHT, WIDTH } from './chart';

/** Left edge of the lanes, pixels; their names are to the left of it. */
export const LANES_LEFT = 120;
const BAR = 20;
const ROW = BAR + 5;
const PADDING = 8;
/** Maximum rows of one lane; intervals that do not fit are not drawn. */
const MAX_ROWS = 12;

/** A replica with its intervals in rows that do not overlap. */
export interface Lane {
  readonly replica: string;
  readonly top: number;
  readonly height: number;
  readonly rows: readonly (readonly Interval[])[];
}

export function layOut(names: readonly string[], shown: readonly Interval[], top: number): Lane[] {
  let next = top;
  return names.map((replica) => {
    const rows: Interval[][] = [];
    for (const interval of shown.filter((one) => one.replica === replica)) {
      const free = rows.find((row) => (row.at(-1)?.until ?? 0) <= interval.from);
      if (free !== undefined) free.push(interval);
      else if (rows.length < MAX_ROWS) rows.push([interval]);
    }
    const height = Math.max(1, rows.length) * ROW - (ROW - BAR) + 2 * PADDING;
    const lane = { replica, top: next, height, rows };
    next += height;
    return lane;
  });
}

export const background = ({ replica, top, height }: Lane, i: number): Markup =>
  markup`<rect class="lane${i % 2}" x="${LANES_LEFT}" width="${WIDTH - RIGHT - LANES_LEFT}" y="${top}" height="${height}"/><text class="name" x="${LANES_LEFT - 10}" y="${top + height / 2 + 5}" text-anchor="end">${replica}</text>`;

/** Properties of a bar besides its times. */
export interface BarLook {
  readonly className: string;
  readonly wrong: boolean;
  /** The remaining stock, or the balance, after its movement. */
  readonly after: number | undefined;
  readonly words: BalanceWords;
  readonly t: ReportTexts;
}

export function bar(interval: Interval, { top }: Lane, row: number, x: Scale, look: BarLook): Markup {
  const { request, replica, from, until, open, lingersUntil } = interval;
  const { className, wrong, after, words, t } = look;
  const y = top + PADDING + row * ROW;
  const width = Math.max(1.5, x(until) - x(from));
  const effect = after === undefined ? t.lanes.movedNothing(words) : t.lanes.moved(words, after);
  const title = t.lanes.bar(request, replica, tenths(from), open ? undefined : tenths(until)) + effect;
  const fits = after !== undefined && width > 14 + 8 * String(after).length;
  const classes = `bar ${className}${wrong ? ' wrong' : ''}${open ? ' open' : ''}`;
  return markup`<g><title>${title}</title>${lingersUntil !== undefined && lingering(x(until), x(lingersUntil), y)}<rect class="${classes}" x="${x(from)}" width="${width}" y="${y}" height="${BAR}" rx="2"/>${fits && markup`<text class="inbar ${className}" x="${x(from) + width / 2}" y="${y + 15}" text-anchor="middle">${after}</text>`}</g>`;
}

const lingering = (from: number, until: number, y: number): Markup =>
  markup`<rect class="lingering" x="${from}" width="${Math.max(0, until - from)}" y="${y + 3}" height="${BAR - 6}"/>`;

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

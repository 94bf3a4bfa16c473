import type { Excerpt } from '../excerpt';
import type { Interval, Intervals } from '../intervals';
import { markup, type Markup } from '../markup';
import { time, type Scale } from '../scale';
import type { Timeline } from '../timeline';
import { chart, faultMarks, figure, marksHeight, nothing, RIGHT, WIDTH, type LegendEntry } from './chart';

const LEFT = 120;
const BAR = 20;
const ROW = BAR + 5;
const PADDING = 8;
/** Rows of one lane at most: a crowd beyond that shares the last one. */
const MOST_ROWS = 10;

/** A replica with its bars, laid out so that none hides another. */
interface Lane {
  readonly replica: string;
  readonly top: number;
  readonly height: number;
  readonly rows: readonly (readonly Interval[])[];
}

/** One lane per replica: who held the lock when, where two did, and what was done to the replicas. */
export function lanesPlot({ kind, all }: Intervals, excerpt: Excerpt, { sales }: Timeline): Markup {
  const heading = kind === 'held' ? 'Who held the lock' : 'Who was at work';
  const { shown, clashes, gaps, faults, from, until, about } = excerpt;
  if (shown.length === 0)
    return nothing(heading, 'There is no history of this run, so nobody knows who held what when.');
  const names = [...new Set(all.map(({ replica }) => replica))].sort();
  const top = 10 + marksHeight(faults);
  const lanes = layOut(names, shown, top);
  const bottom = lanes.reduce((_, lane) => lane.top + lane.height, top);
  const margin = Math.max((until - from) * 0.01, 0.5);
  const x = time([from - margin, until + margin], [LEFT, WIDTH - RIGHT]);
  const sold = new Map(sales.map((sale) => [sale.movement.request, sale]));
  const laneOf = new Map(lanes.map((lane) => [lane.replica, lane]));
  const clashing = new Set(clashes.flatMap(({ first, second }) => [first, second]));

  const bars = lanes.flatMap(({ rows, top: laneTop }, l) =>
    rows.flatMap((row, r) =>
      row.map((interval) => {
        const sale = sold.get(interval.request);
        const wrong = clashing.has(interval.request) || (kind === 'request' && sale?.duplicate === true);
        return bar(
          interval,
          x,
          laneTop + PADDING + r * ROW,
          `r${l % 6}${wrong ? ' wrong' : ''}`,
          sale?.movement.after,
        );
      }),
    ),
  );
  const plot = chart(
    {
      name: heading,
      height: bottom + 46,
      top,
      bottom,
      left: LEFT,
      x,
      xTitle: `time since the run began (${x.unit})`,
    },
    [
      HATCH,
      ...lanes.map((lane, i) => background(lane, i)),
      ...gaps
        .map((gap) => {
          const lane = laneOf.get(gap.replica);
          return (
            lane &&
            markup`<rect class="gap ${gap.kind}" x="${x(gap.from)}" width="${x(gap.until) - x(gap.from)}" y="${lane.top}" height="${lane.height}"><title>${gap.replica} was ${gap.kind} for ${Math.round(gap.until - gap.from)} ms</title></rect>`
          );
        })
        .filter((gap) => gap !== undefined),
      ...clashes.map(
        (clash) =>
          markup`<rect class="clash" x="${x(clash.from)}" width="${Math.max(2, x(clash.until) - x(clash.from))}" y="${top}" height="${bottom - top}"><title>${clash.second} took the lock while ${clash.first} was still at work</title></rect>`,
      ),
      ...bars,
      ...faultMarks(faults, x, top, bottom),
    ],
  );
  const what =
    kind === 'held'
      ? 'a lock being held'
      : 'a request in the inventory app (the strategy holds no lock in Redis)';
  const part = shown.length < all.length ? ` Shown: ${shown.length} of ${all.length}, around ${about}.` : '';
  const how = `Each bar is ${what}, one lane per replica; a number in a bar is the remaining stock that it sold.${part}`;
  const wrong = bars.some(({ text }) => text.includes(' wrong"'));
  return figure(
    heading,
    how,
    entries(kind, { wrong, clashes: clashes.length > 0, gaps, open: shown.some(({ open }) => open) }),
    plot,
  );
}

const HATCH = markup`<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" x2="0" y1="0" y2="7"/></pattern></defs>`;

function layOut(names: readonly string[], shown: readonly Interval[], top: number): Lane[] {
  let next = top;
  return names.map((replica) => {
    const rows: Interval[][] = [];
    for (const interval of shown.filter((one) => one.replica === replica)) {
      const free = rows.find((row) => (row.at(-1)?.until ?? 0) <= interval.from);
      if (free !== undefined) free.push(interval);
      else if (rows.length < MOST_ROWS) rows.push([interval]);
      else rows.at(-1)?.push(interval);
    }
    const height = Math.max(1, rows.length) * ROW - (ROW - BAR) + 2 * PADDING;
    const lane = { replica, top: next, height, rows };
    next += height;
    return lane;
  });
}

const background = ({ replica, top, height }: Lane, i: number): Markup =>
  markup`<rect class="lane${i % 2}" x="${LEFT}" width="${WIDTH - RIGHT - LEFT}" y="${top}" height="${height}"/><text class="name" x="${LEFT - 10}" y="${top + height / 2 + 5}" text-anchor="end">${replica}</text>`;

function bar(interval: Interval, x: Scale, y: number, className: string, after: number | undefined): Markup {
  const { request, replica, from, until, open } = interval;
  const width = Math.max(1.5, x(until) - x(from));
  const title = `${request} on ${replica}: ${Math.round(from * 10) / 10} to ${open ? 'no end' : Math.round(until * 10) / 10} ms${after === undefined ? ', sold nothing' : `, sold: ${after} left`}`;
  const fits = after !== undefined && width > 14 + 8 * String(after).length;
  return markup`<g><title>${title}</title><rect class="bar ${className}${open ? ' open' : ''}" x="${x(from)}" width="${width}" y="${y}" height="${BAR}" rx="2"/>${fits && markup`<text class="inbar" x="${x(from) + width / 2}" y="${y + 15}" text-anchor="middle">${after}</text>`}</g>`;
}

const entries = (
  kind: Intervals['kind'],
  { wrong, clashes, gaps, open }: { wrong: boolean; clashes: boolean; gaps: Excerpt['gaps']; open: boolean },
): LegendEntry[] => {
  const box = (className: string): Markup =>
    markup`<rect class="${className}" x="1.5" y="2.5" width="13" height="11" rx="2"/>`;
  return [
    ...(wrong
      ? [
          {
            text: kind === 'held' ? 'one of two holders' : 'sold a value that another sold too',
            mark: box('bar quiet wrong'),
          },
        ]
      : []),
    ...(clashes ? [{ text: 'two holders at once', mark: box('clash') }] : []),
    ...(open
      ? [{ text: kind === 'held' ? 'never released' : 'never answered', mark: box('bar quiet open') }]
      : []),
    ...(gaps.some(({ kind: gap }) => gap === 'paused') ? [{ text: 'paused', mark: box('gap paused') }] : []),
    ...(gaps.some(({ kind: gap }) => gap === 'dead') ? [{ text: 'dead', mark: box('gap dead') }] : []),
  ];
};

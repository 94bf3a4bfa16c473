import type { BalanceWords } from '#lab/verdict';
import type { Excerpt } from '../excerpt';
import type { Intervals } from '../intervals';
import { markup, type Markup } from '../markup';
import { time } from '../scale';
import type { Timeline } from '../timeline';
import { chart, faultMarks, marksHeight, RIGHT, swatch, WIDTH, type Figure, type LegendEntry } from './chart';
import { background, bar, LANES_LEFT, layOut } from './lane';

/** One lane per replica: the holders of the lock over time, overlaps of two holders, faults and gaps of the replicas. */
export function lanesPlot(
  { kind, all, replicas }: Intervals,
  excerpt: Excerpt,
  { sales }: Timeline,
  words: BalanceWords,
): Figure {
  const heading = kind === 'held' ? 'Lock holders over time' : 'Requests over time';
  const { shown, clashes, gaps, faults, from, until } = excerpt;
  if (shown.length === 0)
    return { heading, how: 'There is no history of this run, so lock holders are unknown.', entries: [] };
  const top = 10 + marksHeight(faults);
  const lanes = layOut(replicas, shown, top);
  const bottom = lanes.reduce((_, lane) => lane.top + lane.height, top);
  const margin = Math.max((until - from) * 0.01, 0.5);
  const x = time([from - margin, until + margin], [LANES_LEFT, WIDTH - RIGHT]);
  const sold = new Map(sales.map((sale) => [sale.movement.request, sale]));
  const wrong = new Set(
    kind === 'held'
      ? clashes.flatMap(({ first, second }) => [first, second])
      : excerpt.collided.map(({ movement }) => movement.request),
  );
  const bars = lanes.flatMap((lane, l) =>
    lane.rows.flatMap((row, r) =>
      row.map((interval) =>
        bar(interval, lane, r, x, {
          className: `r${l % 6}`,
          wrong: wrong.has(interval.request),
          after: sold.get(interval.request)?.movement.after,
          words,
        }),
      ),
    ),
  );
  const bands = clashes.map(
    (clash) =>
      markup`<rect class="clash" x="${x(clash.from)}" width="${Math.max(2, x(clash.until) - x(clash.from))}" y="${top}" height="${bottom - top}"><title>${clash.second} acquired the lock while ${clash.first} was still working</title></rect>`,
  );
  const absences = gaps.flatMap((gap) => {
    const lane = lanes.find(({ replica }) => replica === gap.replica);
    if (lane === undefined) return [];
    return markup`<rect class="gap ${gap.kind}" x="${x(gap.from)}" width="${Math.max(2, x(gap.until) - x(gap.from))}" y="${lane.top}" height="${lane.height}"><title>${gap.replica} was ${gap.kind} for ${Math.round(gap.until - gap.from)} ms</title></rect>`;
  });
  const plot = chart(
    {
      height: bottom + 46,
      top,
      bottom,
      left: LANES_LEFT,
      x,
      xTitle: `time since the run began (${x.unit})`,
    },
    [HATCH, ...lanes.map(background), ...bands, ...bars, ...absences, ...faultMarks(faults, x, top, bottom)],
  );
  const drawn = bars.length;
  return {
    heading,
    how: howToRead(kind, drawn, all.length, excerpt.about, words),
    entries: entries(kind, replicas, excerpt, words),
    plot,
  };
}

const HATCH = markup`<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" x2="0" y1="0" y2="7"/></pattern></defs>`;

function howToRead(
  kind: Intervals['kind'],
  drawn: number,
  all: number,
  about: string,
  { balance, movement }: BalanceWords,
): string {
  const what =
    kind === 'held'
      ? 'one hold time of a lock'
      : 'one request to the strategy (which holds no lock in Redis)';
  const part = drawn < all ? ` Shown: ${drawn} of ${all}, around ${about}.` : '';
  return `Each bar is ${what}, one lane per replica; the number in a bar is the ${balance} after its ${movement}.${part}`;
}

function entries(
  kind: Intervals['kind'],
  names: readonly string[],
  excerpt: Excerpt,
  { moved }: BalanceWords,
): LegendEntry[] {
  const { shown, clashes, gaps, collided } = excerpt;
  const box = (className: string): Markup =>
    markup`<rect class="${className}" x="1.5" y="2.5" width="13" height="11" rx="2"/>`;
  const held = kind === 'held';
  const same = collided[0]?.movement.after;
  const candidates: readonly (LegendEntry | false)[] = [
    ...names.map((text, i) => ({ text, mark: swatch(`r${i % 6}`) })),
    held && clashes.length > 0 && { text: 'one of two holders', mark: box('bar quiet wrong') },
    !held &&
      same !== undefined && {
        text:
          moved === 'sold'
            ? `all of these sold “${same} left”`
            : `all of these ${moved} with the balance ${same}`,
        mark: box('bar quiet wrong'),
      },
    clashes.length > 0 && { text: 'two simultaneous holders', mark: box('clash') },
    shown.some(({ open }) => open) && {
      text: held ? 'never released' : 'never answered',
      mark: box('bar quiet open'),
    },
    shown.some(({ lingersUntil }) => lingersUntil !== undefined) && {
      text: 'the lock outlives its holder',
      mark: box('lingering'),
    },
    gaps.some((gap) => gap.kind === 'paused') && { text: 'paused', mark: box('gap paused') },
    gaps.some((gap) => gap.kind === 'dead') && { text: 'dead', mark: box('gap dead') },
  ];
  return candidates.filter((entry) => entry !== false);
}

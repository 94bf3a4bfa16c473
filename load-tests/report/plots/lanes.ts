import type { BalanceWords } from '#lab/verdict';
import type { Excerpt } from '../excerpt';
import type { Intervals } from '../intervals';
import { markup, type Markup } from '../markup';
import { time } from '../scale';
import type { ReportTexts } from '../texts';
import type { Timeline } from '../timeline';
import { chart, faultMarks, marksHeight, RIGHT, swatch, WIDTH, type Figure, type LegendEntry } from './chart';
import { background, bar, LANES_LEFT, layOut } from './lane';

/** One lane per replica: the holders of the lock over time, overlaps of two holders, faults and gaps of the replicas. */
export function lanesPlot(
  { kind, all, replicas }: Intervals,
  excerpt: Excerpt,
  { sales }: Timeline,
  words: BalanceWords,
  t: ReportTexts,
): Figure {
  const isHeld = kind === 'held';
  const heading = isHeld ? t.lanes.holders : t.lanes.requests;
  const { shown, clashes, gaps, faults, from, until } = excerpt;
  if (shown.length === 0) return { heading, how: t.lanes.nothing, entries: [] };
  const top = 10 + marksHeight(faults);
  const lanes = layOut(replicas, shown, top);
  const bottom = lanes.reduce((_, lane) => lane.top + lane.height, top);
  const margin = Math.max((until - from) * 0.01, 0.5);
  const x = time([from - margin, until + margin], [LANES_LEFT, WIDTH - RIGHT]);
  const sold = new Map(sales.map((sale) => [sale.movement.request, sale]));
  const wrong = new Set(
    isHeld
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
          t,
        }),
      ),
    ),
  );
  const bands = clashes.map(
    (clash) =>
      markup`<rect class="clash" x="${x(clash.from)}" width="${Math.max(2, x(clash.until) - x(clash.from))}" y="${top}" height="${bottom - top}"><title>${t.lanes.clash(clash.first, clash.second)}</title></rect>`,
  );
  const absences = gaps.flatMap((gap) => {
    const lane = lanes.find(({ replica }) => replica === gap.replica);
    if (lane === undefined) return [];
    return markup`<rect class="gap ${gap.kind}" x="${x(gap.from)}" width="${Math.max(2, x(gap.until) - x(gap.from))}" y="${lane.top}" height="${lane.height}"><title>${t.lanes.gap(gap.replica, gap.kind, Math.round(gap.until - gap.from))}</title></rect>`;
  });
  const plot = chart(
    {
      height: bottom + 46,
      top,
      bottom,
      left: LANES_LEFT,
      x,
      xTitle: t.time(x.unit),
    },
    [
      HATCH,
      ...lanes.map(background),
      ...bands,
      ...bars,
      ...absences,
      ...faultMarks(faults, x, top, bottom, t),
    ],
  );
  const part =
    bars.length < all.length ? t.lanes.part(bars.length, all.length, t.lanes.about[excerpt.about]) : '';
  return {
    heading,
    how: t.lanes.how(isHeld, words) + part,
    entries: entries(isHeld, replicas, excerpt, words, t),
    plot,
  };
}

const HATCH = markup`<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch" x1="0" x2="0" y1="0" y2="7"/></pattern></defs>`;

function entries(
  isHeld: boolean,
  names: readonly string[],
  excerpt: Excerpt,
  words: BalanceWords,
  { lanes }: ReportTexts,
): LegendEntry[] {
  const { shown, clashes, gaps, collided } = excerpt;
  const box = (className: string): Markup =>
    markup`<rect class="${className}" x="1.5" y="2.5" width="13" height="11" rx="2"/>`;
  const same = collided[0]?.movement.after;
  const candidates: readonly (LegendEntry | false)[] = [
    ...names.map((text, i) => ({ text, mark: swatch(`r${i % 6}`) })),
    isHeld && clashes.length > 0 && { text: lanes.oneOfTwo, mark: box('bar quiet wrong') },
    !isHeld && same !== undefined && { text: lanes.collided(words, same), mark: box('bar quiet wrong') },
    clashes.length > 0 && { text: lanes.twoHolders, mark: box('clash') },
    shown.some(({ open }) => open) && {
      text: isHeld ? lanes.neverReleased : lanes.neverAnswered,
      mark: box('bar quiet open'),
    },
    shown.some(({ lingersUntil }) => lingersUntil !== undefined) && {
      text: lanes.lingering,
      mark: box('lingering'),
    },
    gaps.some((gap) => gap.kind === 'paused') && { text: lanes.paused, mark: box('gap paused') },
    gaps.some((gap) => gap.kind === 'dead') && { text: lanes.dead, mark: box('gap dead') },
  ];
  return candidates.filter((entry) => entry !== false);
}

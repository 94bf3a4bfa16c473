import type { DrillMoment } from '#lab/verdict';
import { cut, markup } from '../markup';
import type { ReportTexts } from '../texts';
import { swatch, WIDTH, type Figure } from './chart';

const TOP = 34;
const ROW = 21;
const TIME_WIDTH = 84;
/** Pixel width of a letter of the small text. */
const LETTER = 7.2;
/** Pixel width of a Chinese character. */
const CHINESE = 12;

/** One lane for each buyer, each server and the drill itself; one row per event, in chronological order. */
export function drillLanes(timeline: readonly DrillMoment[], { drill: t }: ReportTexts): Figure {
  const lanes = lanesOf(timeline);
  const [first] = timeline;
  if (first === undefined) return { heading: t.timeline, how: t.nothing, entries: [] };
  const width = (WIDTH - TIME_WIDTH) / lanes.length;
  const bottom = TOP + timeline.length * ROW + 8;
  const left = (lane: string): number => TIME_WIDTH + lanes.indexOf(lane) * width;
  const nameOf = (lane: string): string => (lane === 'drill' ? t.drill : lane);
  const heads = lanes.map(
    (lane, i) =>
      markup`<rect class="lane${i % 2}" x="${left(lane)}" y="0" width="${width}" height="${bottom}"/><text class="name" x="${left(lane) + 20}" y="20">${nameOf(lane)}</text>`,
  );
  const rows = timeline.map(({ at, who: lane, what, isFailure }, i) => {
    const y = TOP + i * ROW;
    const room = WIDTH - left(lane) - 22;
    return markup`<g><title>${what}</title><line class="grid" x1="${TIME_WIDTH}" x2="${WIDTH}" y1="${y + ROW}" y2="${y + ROW}"/>
<text x="${TIME_WIDTH - 8}" y="${y + 15}" text-anchor="end">${((at - first.at) / 1000).toFixed(1)}</text>
<circle class="r${lanes.indexOf(lane) % 6}" cx="${left(lane) + 10}" cy="${y + 10.5}" r="5"/>
<text class="${isFailure === true ? 'bad' : 'name'}" x="${left(lane) + 20}" y="${y + 15}">${fit(what, room)}</text></g>`;
  });
  return {
    heading: t.timeline,
    how: t.how,
    entries: lanes.map((lane, i) => ({ text: nameOf(lane), mark: swatch(`r${i % 6}`) })),
    plot: { height: bottom, content: markup`${heads}${rows}` },
  };
}

/** The drill is first, because its long texts need the room to its right; then buyers, then servers. */
function lanesOf(timeline: readonly DrillMoment[]): readonly string[] {
  const all = [...new Set(timeline.map(({ who }) => who))];
  const rank = (lane: string): number => (lane === 'drill' ? 0 : /^[A-Z]$/.test(lane) ? 1 : 2);
  return all.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** `text`, shortened to this number of pixels. */
function fit(text: string, room: number): string {
  let width = 0;
  const most = Array.from(text).findIndex((letter) => {
    width += /[\u3000-\uffef]/.test(letter) ? CHINESE : LETTER;
    return width > room;
  });
  return most === -1 ? text : cut(text, most);
}

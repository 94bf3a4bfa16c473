import type { DrillMoment } from '#lab/verdict';
import { cut, markup, type Markup } from '../markup';
import { figure, nothing, swatch, WIDTH } from './chart';

const HEADING = 'What happened';
const TOP = 34;
const ROW = 21;
const TIME_WIDTH = 84;
/** Pixels of a letter of the page's small text. */
const LETTER = 7.2;

/** A lane for each buyer, server and the drill itself; a row for each thing that happened, in its order. */
export function drillLanes(timeline: readonly DrillMoment[]): Markup {
  const lanes = lanesOf(timeline);
  const [first] = timeline;
  if (first === undefined) return nothing(HEADING, 'Nothing was seen to happen.');
  const width = (WIDTH - TIME_WIDTH) / lanes.length;
  const bottom = TOP + timeline.length * ROW + 8;
  const left = (who: string): number => TIME_WIDTH + lanes.indexOf(who) * width;
  const heads = lanes.map(
    (who, i) =>
      markup`<rect class="lane${i % 2}" x="${left(who)}" y="0" width="${width}" height="${bottom}"/><text class="name" x="${left(who) + 20}" y="20">${who}</text>`,
  );
  const rows = timeline.map(({ at, who, what }, i) => {
    const y = TOP + i * ROW;
    const room = WIDTH - left(who) - 22;
    return markup`<g><title>${what}</title><line class="grid" x1="${TIME_WIDTH}" x2="${WIDTH}" y1="${y + ROW}" y2="${y + ROW}"/>
<text x="${TIME_WIDTH - 8}" y="${y + 15}" text-anchor="end">${((at - first.at) / 1000).toFixed(1)}</text>
<circle class="r${lanes.indexOf(who) % 6}" cx="${left(who) + 10}" cy="${y + 10.5}" r="5"/>
<text class="${isBad(what) ? 'bad' : 'name'}" x="${left(who) + 20}" y="${y + 15}">${cut(what, Math.floor(room / LETTER))}</text></g>`;
  });
  return figure(
    HEADING,
    'One lane for the drill, each buyer and each server; time runs down, in milliseconds from the first thing that happened; rows are not to scale. A buyer that is held stands still until the drill lets it go. Point at a row for its whole text.',
    lanes.map((text, i) => ({ text, mark: swatch(`r${i % 6}`) })),
    markup`<svg viewBox="0 0 ${WIDTH} ${bottom}" role="img" aria-label="${HEADING}">${heads}${rows}</svg>`,
  );
}

/** The drill first, whose text is long: it has the room to its right; then buyers, then servers. */
function lanesOf(timeline: readonly DrillMoment[]): readonly string[] {
  const all = [...new Set(timeline.map(({ who }) => who))];
  const rank = (who: string): number => (who === 'drill' ? 0 : /^[A-Z]$/.test(who) ? 1 : 2);
  return all.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

const isBad = (what: string): boolean =>
  what.startsWith('it is NOT true') || /→ .*not reachable|→ .*did not answer/.test(what);

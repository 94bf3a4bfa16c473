import type { HistoryLine } from '#lab/step';
import { judgeHolders, kindOf, type Language } from '#lab/verdict';
import type { Excerpt } from './excerpt';
import { intervalsOf, type Intervals } from './intervals';
import { section } from './plots/chart';
import { lanesPlot } from './plots/lanes';
import { STYLE } from './style';
import { TEXTS } from './texts';
import { timelineOf, type Timeline } from './timeline';

/** The last intervals that are drawn. */
const MAX_SHOWN = 30;

/**
 * The lanes of a run that has not ended, drawn as in its report: an HTML section for an element with a shadow root and
 * `LIVE_STYLE`. Undefined: no replica has begun. Every text is escaped.
 */
export function renderLiveLanes(history: readonly HistoryLine[], language: Language): string | undefined {
  const t = TEXTS[language];
  const timeline = timelineOf({ history, movements: [], answers: [], initial: 0 });
  const intervals = intervalsOf({ history }, judgeHolders(history), timeline);
  if (intervals.replicas.length === 0) return undefined;
  const words = t.words(kindOf({ history }), false);
  return section(lanesPlot(intervals, lastOf(intervals, timeline), timeline, words, t)).text;
}

/** The style of the report, for a shadow root. */
export const LIVE_STYLE = STYLE.replaceAll(':root', ':host');

function lastOf({ all, clashes, gaps }: Intervals, { faults }: Timeline): Excerpt {
  const shown = [...all].sort((a, b) => a.from - b.from).slice(-MAX_SHOWN);
  const from = shown[0]?.from ?? 0;
  const until = shown.reduce((last, interval) => Math.max(last, interval.until), from);
  const clip = <T extends { from: number; until: number }>(spans: readonly T[]): T[] =>
    spans
      .filter((span) => span.until >= from && span.from <= until)
      .map((span) => ({ ...span, from: Math.max(span.from, from), until: Math.min(span.until, until) }));
  return {
    shown,
    from,
    until,
    about: 'present',
    collided: [],
    clashes: clip(clashes),
    gaps: clip(gaps),
    faults: faults.filter(({ at }) => at >= from && at <= until),
  };
}

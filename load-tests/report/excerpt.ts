import type { LoadVerdict } from '#lab/verdict';
import type { Clash, Gap, Interval, Intervals } from './intervals';
import type { ReportTexts } from './texts';
import type { Annotation, Sale, Timeline } from './timeline';

/** The event that the lanes show the surroundings of. */
type Focus = keyof ReportTexts['lanes']['about'];

/** The part of a long run that the lanes show. */
export interface Excerpt {
  readonly shown: readonly Interval[];
  readonly clashes: readonly Clash[];
  readonly gaps: readonly Gap[];
  readonly faults: readonly Annotation[];
  /** The sales of the first value in this part that was sold more than once. */
  readonly collided: readonly Sale[];
  /** Milliseconds since the run began. */
  readonly from: number;
  readonly until: number;
  /** The event that this part was chosen around. */
  readonly about: Focus;
}

/** Intervals shown before that event, and in total. */
const BEFORE = 12;
const MAX_SHOWN = { held: 60, request: 36 } as const;

/** Chooses the intervals around the first fault or violation, or the beginning when there was none. */
export function excerptOf(intervals: Intervals, verdict: LoadVerdict, timeline: Timeline): Excerpt {
  const all = [...intervals.all].sort((a, b) => a.from - b.from);
  const most = MAX_SHOWN[intervals.kind];
  const { at, about } = focusOf(intervals, verdict, timeline);
  const first = Math.max(
    0,
    all.findIndex(({ until }) => until >= at),
  );
  const start = Math.max(0, Math.min(first - BEFORE, all.length - most));
  const shown = all.slice(start, start + most);
  const from = shown[0]?.from ?? 0;
  const until = shown.reduce(
    (last, interval) => Math.max(last, interval.lingersUntil ?? 0, interval.until),
    from,
  );
  const visible = (span: { from: number; until: number }): boolean =>
    span.until >= from && span.from <= until;
  const clip = <T extends { from: number; until: number }>(span: T): T => ({
    ...span,
    from: Math.max(span.from, from),
    until: Math.min(span.until, until),
  });
  return {
    shown,
    from,
    until,
    about,
    collided: firstCollision(timeline.sales, new Set(shown.map(({ request }) => request))),
    clashes: intervals.clashes.filter(visible).map(clip),
    gaps: intervals.gaps.filter(visible).map(clip),
    faults: timeline.faults.filter((fault) => fault.at >= from && fault.at <= until),
  };
}

function focusOf(
  { all, clashes }: Intervals,
  { foreignReleases, duplicates }: LoadVerdict,
  { faults, sales }: Timeline,
): { at: number; about: Focus } {
  const [fault] = faults;
  if (fault !== undefined) return { at: fault.at, about: 'fault' };
  const starts = new Map(all.map(({ request, until }) => [request, until]));
  const candidates: { at: number; about: Focus }[] = [
    ...clashes.map(({ from }) => ({ at: from, about: 'overlap' as const })),
    ...foreignReleases.slice(0, 1).map(({ by }) => ({
      at: starts.get(by) ?? 0,
      about: 'foreign-release' as const,
    })),
    ...(duplicates.length === 0
      ? []
      : sales
          .filter(({ duplicate }) => duplicate)
          .slice(0, 1)
          .map(({ at }) => ({ at, about: 'duplicate' as const }))),
    ...sales
      .filter(({ oversold }) => oversold)
      .slice(0, 1)
      .map(({ at }) => ({ at, about: 'overtaken' as const })),
  ];
  return candidates.sort((a, b) => a.at - b.at)[0] ?? { at: -Infinity, about: 'beginning' };
}

function firstCollision(sales: readonly Sale[], shown: ReadonlySet<string>): readonly Sale[] {
  const candidates = sales.filter(({ duplicate, movement }) => duplicate && shown.has(movement.request));
  return candidates.filter(({ movement }) => movement.after === candidates[0]?.movement.after);
}

import { count } from '#lab/step';
import type { Outcome } from '../codes';
import { markup } from '../markup';
import { linear, niceStep, time } from '../scale';
import type { Timeline } from '../timeline';
import { ACROSS, chart, faultMarks, marksHeight, swatch, type Figure } from './chart';

const HEADING = 'Outcomes over time';
const BINS = 40;

/** Answers per time bin, stacked by code. */
export function outcomesPlot(outcomes: readonly Outcome[], { faults, answered }: Timeline): Figure {
  const ends = outcomes.map(({ answers }) => answers.map(answered));
  const last = ends.flat().reduce((most, end) => Math.max(most, end), 0);
  if (last === 0) return { heading: HEADING, how: 'No answers were recorded.', entries: [] };
  const bin = niceStep(last / BINS);
  const bins = Math.floor(last / bin) + 1;
  const counts = ends.map((times) => {
    const inBins = Array.from({ length: bins }, () => 0);
    for (const end of times) {
      const i = Math.max(0, Math.floor(end / bin));
      inBins[i] = (inBins[i] ?? 0) + 1;
    }
    return inBins;
  });
  const totals = Array.from({ length: bins }, (_, i) => counts.reduce((sum, of) => sum + (of[i] ?? 0), 0));
  const top = 14 + marksHeight(faults);
  const bottom = top + 200;
  const x = time([0, bins * bin], ACROSS);
  const y = linear([0, Math.max(...totals)], [bottom, top], 5);
  const base = totals.map(() => 0);
  const bars = outcomes.flatMap(({ code, className }, o) =>
    base.map((below, i) => {
      const n = counts[o]?.[i] ?? 0;
      if (n === 0) return markup``;
      base[i] = below + n;
      return markup`<rect class="${className}" x="${x(i * bin) + 0.5}" width="${Math.max(1, x((i + 1) * bin) - x(i * bin) - 1)}" y="${y(below + n)}" height="${y(below) - y(below + n)}"><title>${count(n, 'answer')} ${code} from ${Math.round(i * bin)} to ${Math.round((i + 1) * bin)} ms</title></rect>`;
    }),
  );
  const plot = chart(
    {
      height: bottom + 46,
      top,
      bottom,
      x,
      xTitle: `time since the run began (${x.unit})`,
      y,
      yTitle: `answers per ${bin.toLocaleString('en')} ms`,
    },
    [...bars, ...faultMarks(faults, x, top, bottom)],
  );
  const entries = outcomes.map(({ code, className }) => ({ text: code, mark: swatch(className) }));
  const how = 'Answers to the buyers, at the time of each answer.';
  return { heading: HEADING, how, entries, plot };
}

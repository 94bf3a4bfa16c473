import type { Outcome } from '../codes';
import { markup } from '../markup';
import { linear, niceStep, time } from '../scale';
import type { ReportTexts } from '../texts';
import type { Timeline } from '../timeline';
import { ACROSS, chart, faultMarks, marksHeight, swatch, type Figure } from './chart';

const BINS = 40;

/** Answers per time bin, stacked by code. */
export function outcomesPlot(
  outcomes: readonly Outcome[],
  { faults, answered }: Timeline,
  t: ReportTexts,
): Figure {
  const { heading, how } = t.outcomesOverTime;
  const ends = outcomes.map(({ answers }) => answers.map(answered));
  const last = ends.flat().reduce((most, end) => Math.max(most, end), 0);
  if (last === 0) return { heading, how: t.noAnswers, entries: [] };
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
      return markup`<rect class="${className}" x="${x(i * bin) + 0.5}" width="${Math.max(1, x((i + 1) * bin) - x(i * bin) - 1)}" y="${y(below + n)}" height="${y(below) - y(below + n)}"><title>${t.outcomesOverTime.bin(n, code, Math.round(i * bin), Math.round((i + 1) * bin))}</title></rect>`;
    }),
  );
  const plot = chart(
    {
      height: bottom + 46,
      top,
      bottom,
      x,
      xTitle: t.time(x.unit),
      y,
      yTitle: t.outcomesOverTime.perBin(bin.toLocaleString('en')),
    },
    [...bars, ...faultMarks(faults, x, top, bottom, t)],
  );
  const entries = outcomes.map(({ code, className }) => ({ text: code, mark: swatch(className) }));
  return { heading, how, entries, plot };
}

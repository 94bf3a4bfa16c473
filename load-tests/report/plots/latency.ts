import { percentile } from '#load-tests/figures';
import { inMs, type Outcome } from '../codes';
import { cut, markup, type Markup } from '../markup';
import { logarithmic, type Scale } from '../scale';
import type { ReportTexts } from '../texts';
import { chart, RIGHT, WIDTH, type Figure } from './chart';

const LEFT = 200;
const ROW = 62;
/** Maximum dots per outcome, evenly spread over the ranks. */
const MAX_DOTS = 400;

/** One row per code: a dot per answer, a box for the quartiles, a line for p99. */
export function latencyPlot(outcomes: readonly Outcome[], t: ReportTexts): Figure {
  const { heading, how, axis } = t.latency;
  if (outcomes.length === 0) return { heading, how: t.noAnswers, entries: [] };
  const all = outcomes.flatMap(({ tookMs }) => tookMs);
  const least = all.reduce((a, b) => Math.min(a, b), Infinity);
  const most = all.reduce((a, b) => Math.max(a, b), 0);
  const top = 10;
  const bottom = top + outcomes.length * ROW;
  const x = logarithmic([least, most], [LEFT, WIDTH - RIGHT]);
  const plot = chart(
    {
      height: bottom + 46,
      top,
      bottom,
      left: LEFT,
      x,
      xTitle: axis,
    },
    outcomes.map((outcome, i) => row(outcome, x, top + i * ROW, t)),
  );
  return { heading, how, entries: [], plot };
}

function row({ code, className, tookMs }: Outcome, x: Scale, top: number, { latency }: ReportTexts): Markup {
  const [p25, p50, p75, p99] = [0.25, 0.5, 0.75, 0.99].map((p) => percentile(tookMs, p)) as [
    number,
    number,
    number,
    number,
  ];
  const every = Math.max(1, tookMs.length / MAX_DOTS);
  const dots = Array.from({ length: Math.min(tookMs.length, MAX_DOTS) }, (_, i) => {
    const took = tookMs[Math.floor(i * every)] ?? 0;
    return markup`<circle class="${className}" cx="${x(took)}" cy="${top + ROW / 2 + scatter(i) * 18}" r="2.2"/>`;
  });
  const title = latency.row(code, inMs(p50), inMs(p99), inMs(tookMs.at(-1) ?? 0));
  return markup`<g><title>${title}</title>
<rect class="hit" x="${LEFT}" width="${WIDTH - RIGHT - LEFT}" y="${top}" height="${ROW}"/>
<text class="name" x="${LEFT - 12}" y="${top + ROW / 2 - 2}" text-anchor="end">${cut(code, 18)}</text>
<text x="${LEFT - 12}" y="${top + ROW / 2 + 15}" text-anchor="end">${latency.answers(tookMs.length)}</text>
<g class="dots">${dots}</g>
<rect class="box" x="${x(p25)}" width="${Math.max(1, x(p75) - x(p25))}" y="${top + 14}" height="${ROW - 28}"/>
<line class="median" x1="${x(p50)}" x2="${x(p50)}" y1="${top + 11}" y2="${top + ROW - 11}"/>
<line class="p99" x1="${x(p99)}" x2="${x(p99)}" y1="${top + 11}" y2="${top + ROW - 11}"/></g>`;
}

/** A deterministic value between -1 and 1 that separates neighboring dots. */
const scatter = (i: number): number => ((i * 0.618034) % 1) * 2 - 1;

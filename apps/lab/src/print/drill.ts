import { MARKS } from '#lab/verdict';
import type { Drill, DrillRun } from '#load-tests/drills';
import { renderTable } from './table';
import { wrap } from './wrap';

/** A drill and all of its runs. */
export interface DrillRuns {
  readonly drill: Drill;
  readonly runs: readonly DrillRun[];
}

export const allAsExpected = ({ runs }: DrillRuns): boolean =>
  runs.every(({ verdict }) => verdict.asExpected);

/** The run that is printed: the first one that is not as documented, otherwise the last one. */
export const shownRun = (runs: readonly DrillRun[]): DrillRun | undefined =>
  runs.find(({ verdict }) => !verdict.asExpected) ?? runs.at(-1);

const goodRuns = (runs: readonly DrillRun[]): number =>
  runs.filter(({ verdict }) => verdict.asExpected).length;

/** One line of progress after each drill. */
export function drillLine({ runs }: DrillRuns): string {
  const words = [...new Set(runs.map(({ verdict }) => MARKS[verdict.mark].words))].join(', ');
  return `${words}, ${goodRuns(runs)} of ${runs.length} as documented`;
}

/** One row for each drill: its verdict and what it shows. */
export const drillTable = (drills: readonly DrillRuns[], verbose: boolean): string =>
  renderTable({
    head: ['drill', 'sold', 'runs as documented', 'result'],
    rows: drills.flatMap(({ drill, runs }) => {
      const shown = shownRun(runs);
      if (shown === undefined) return [];
      const { evidence, verdict } = shown;
      return [
        [
          drill.name,
          `${verdict.sold}/${evidence.initial}`,
          `${goodRuns(runs)}/${runs.length}`,
          resultWords(shown, verbose),
        ],
      ];
    }),
    boxed: true,
  });

function resultWords({ drill, evidence, verdict }: DrillRun, verbose: boolean): string {
  const { sign, words } = MARKS[verdict.mark];
  const buyers = evidence.buyers.map(({ name, code }) => `${name} ${code}`);
  const figures = Object.entries(evidence.figures).map(([name, value]) => `${name}: ${value}`);
  return [
    [`${sign} ${words}`, verdict.violations.join(', ')].filter((text) => text !== '').join(': '),
    ...(verdict.asExpected ? [] : [`NOT as documented: ${verdict.because.join('; ')}`]),
    drill.shows,
    ...(verbose ? [`(${drill.certainBy})`, `buyers: ${buyers.join(', ')}`, ...figures] : []),
  ].join('\n');
}

/** The events of a drill, with milliseconds since its first event. */
export function printTimeline({ drill, evidence: { timeline } }: DrillRun): string {
  const begun = timeline[0]?.at ?? 0;
  const lines = timeline.map(({ at, who, what }) => {
    const start = `${((at - begun) / 1000).toFixed(1).padStart(9)} ms  ${who.padEnd(10)} `;
    return wrap(`${start}${what}`, start.length);
  });
  return [drill.name, ...lines].join('\n');
}

import { count } from '#lab/step';
import {
  CONDITIONS,
  isDifferent,
  isMiscounted,
  type DeterminismResult,
  type Comparison,
  type Difference,
  type ProgramDifference,
  type ProgramsResult,
  type ReductionFindings,
  type ReductionResult,
} from '#load-tests/selftest';
import { renderTable } from './table';
import { cut, wrap } from './wrap';

const LONGEST_TEXT = 600;

/** One difference: in which condition, the token or plan, and what differs. */
export const printDifference = ({ condition, what, text }: Difference): string =>
  `DIFFERENT (${condition}) ${what}\n${cut(`  ${text}`, LONGEST_TEXT)}`;

/** A circumstance in which the reduction loses an ending, shows it in parts, or invents one. */
export const printReductionDifference = (result: ReductionResult): string =>
  [
    `${isDifferent(result) ? 'DIFFERENT' : 'in parts:'} ${result.strategy}, ${result.cell}`,
    ...result.combinations.map((ending) => cut(`  in parts: ${ending}`, LONGEST_TEXT)),
    ...differencesOf(result),
  ].join('\n');

/** A random program for which the reduction loses or invents an ending, or whose orders were counted wrongly. */
export const printProgramDifference = (difference: ProgramDifference): string =>
  [
    `DIFFERENT program ${difference.number}, without what the difference does not need:`,
    `  ${JSON.stringify(difference.program)}`,
    ...differencesOf(difference),
  ].join('\n');

const differencesOf = (result: Comparison): readonly string[] => [
  ...result.missing.map((ending) => cut(`  only without the reduction: ${ending}`, LONGEST_TEXT)),
  ...result.additional.map((ending) => cut(`  only with the reduction: ${ending}`, LONGEST_TEXT)),
  ...(isMiscounted(result)
    ? [`  all orders: run ${JSON.stringify(result.orders)}, counted ${JSON.stringify(result.counted)}`]
    : []),
];

/** The result in one line, and what it was compared with. */
export const printPrograms = ({
  differences,
  compared,
  leftOut,
  reduced,
  all,
  seed,
}: ProgramsResult): string =>
  [
    `${resultOf(differences.length)}: ${count(compared, 'random program')}, seed ${seed}, with and without the reduction`,
    `${count(reduced, 'schedule')} with it, ${count(all, 'schedule')} without it; ${count(leftOut, 'program')} left out`,
  ].join('\n');

const resultOf = (differences: number): string =>
  differences === 0 ? 'IDENTICAL' : count(differences, 'DIFFERENCE', 'DIFFERENCES');

/** The results in one line, and a row for each strategy. */
export function printReduction(
  { results, leftOut }: ReductionFindings,
  max: number,
  isComplete: boolean,
): string {
  const different = results.filter(isDifferent).length;
  const sum = (of: readonly number[]): number => of.reduce((total, n) => total + n, 0);
  return [
    `${resultOf(different)}: ${count(results.length, 'circumstance')} with and without the reduction`,
    ...(isComplete ? [] : ['not complete: interrupted']),
    `${count(leftOut.length, 'circumstance')} left out: more than ${max} schedules without the reduction`,
    ...(results.some(({ combinations }) => combinations.length > 0)
      ? ['in parts: the reduction shows an ending without its overlap, and the overlap in another ending']
      : []),
    '',
    renderTable({
      head: ['strategy', 'circumstances', 'reduced', 'all schedules', 'endings', 'in parts', 'different'],
      rows: [...new Set(results.map(({ strategy }) => strategy))].map((name) => {
        const own = results.filter(({ strategy }) => strategy === name);
        return [
          name,
          own.length,
          sum(own.map(({ reduced }) => reduced)),
          sum(own.map(({ all }) => all)),
          sum(own.map(({ endings }) => endings)),
          sum(own.map(({ combinations }) => combinations.length)),
          own.filter(isDifferent).length,
        ];
      }),
    }),
  ].join('\n');
}

/** The result in one line, and a table of conditions. */
export function printDeterminism({ differences, conditions, ...run }: DeterminismResult): string {
  return [
    `${resultOf(differences.length)}: ${count(run.tokens, 'random schedule')} of ${count(run.strategies, 'strategy', 'strategies')}, seed ${run.seed}`,
    '',
    renderTable({
      head: ['condition', 'replays', 'explored', 'different', 'seconds', 'disturbance'],
      rows: conditions.map(({ condition, replays, explored, seconds, proof }) => [
        condition,
        replays,
        explored,
        `${differences.filter((difference) => difference.condition === condition).length}`,
        Math.round(seconds),
        proof,
      ]),
    }),
    '',
    ...conditions.map(({ condition }) => wrap(`${condition}: ${CONDITIONS[condition]}`, 2)),
  ].join('\n');
}

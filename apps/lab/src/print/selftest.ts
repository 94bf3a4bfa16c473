import { count } from '#lab/step';
import { CONDITIONS, type DeterminismResult, type Difference } from '#load-tests/selftest';
import { renderTable } from './table';
import { cut, wrap } from './wrap';

const LONGEST_TEXT = 600;

/** One difference: in which condition, the token or plan, and what differs. */
export const printDifference = ({ condition, what, text }: Difference): string =>
  `DIFFERENT (${condition}) ${what}\n${cut(`  ${text}`, LONGEST_TEXT)}`;

/** The result in one line, and a table of conditions. */
export function printDeterminism({ differences, conditions, ...run }: DeterminismResult): string {
  const result =
    differences.length === 0 ? 'IDENTICAL' : count(differences.length, 'DIFFERENCE', 'DIFFERENCES');
  return [
    `${result}: ${count(run.tokens, 'random schedule')} of ${count(run.strategies, 'strategy', 'strategies')}, seed ${run.seed}`,
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

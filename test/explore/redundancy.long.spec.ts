import { cellOf, planOf } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { expectRedundant, testRedundancy } from './redundancy';

const world = testRedundancy(__filename, [
  ['segmented-redis', 'kill:1'],
  ['watchdog', 'pause:1'],
  ['single-writer', 'kill:1'],
]);

// keys with random tickets; timers that take steps; two groups of buyers; faults that are left
test.each([
  ['single-writer', 'failed write', false],
  ['watchdog', 'two products', true],
  ['segmented-redis', 'cut at work', false],
  ['fenced', 'paused, then slow work', false],
])(
  '%s, %s: every schedule that a search skips is redundant',
  (name, cell, isGroupwise) =>
    expectRedundant(world(), planOf(findStrategy(name), cellOf(cell)), isGroupwise),
  EXPLORATION_MS,
);

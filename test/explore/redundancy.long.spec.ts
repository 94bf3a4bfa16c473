import { cellOf, planOf } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { expectRedundant, testRedundancy } from './redundancy';

const world = testRedundancy(__filename, [
  ['segmented-redis', 'kill:1'],
  ['watchdog', 'pause:1'],
  ['single-writer', 'kill:1'],
  ['redlock', 'kill:1'],
  ['redis-decr', 'flush:1'],
]);

test(
  'watchdog, two products: every schedule that a search skips is redundant',
  () => expectRedundant(world(), planOf(findStrategy('watchdog'), cellOf('two products')), true),
  EXPLORATION_MS,
);

import { emptyTally } from '#lab/explore';
import { tallyLine } from '../../apps/lab/src/print/tally';

const lineAfter = (schedules: number, seconds: number): string =>
  tallyLine('none', { ...emptyTally(), schedules, searched: 0.02 }, 3, seconds);

test('the searched share is not estimated before five schedules and three seconds', () => {
  expect(lineAfter(1, 10)).not.toContain('%');
  expect(lineAfter(40, 1)).not.toContain('%');
  expect(lineAfter(40, 4)).toContain('about 2 % of the tree');
});

/**
 * Scenario: each process takes ten order numbers at a time: it reads the last number given and writes it back increased by 10.
 *
 * Why it breaks: both read before either writes, and all ten numbers are given twice.
 *
 * Fix: one statement reads and increases: `UPDATE … SET last = LAST_INSERT_ID(last + 10)`.
 */
import { Schedule, after, type World } from '#lab/explore';
import { findGuard } from '#lab/guard';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

async function numbers(guard: string, firstStep: string): Promise<{ given: string[]; kinds: string[] }> {
  const s = await Schedule.begin(world, findGuard(guard));
  await s.A.runUntil(after(firstStep));
  await s.B.finish();
  const { verdict, history } = await s.end();
  return {
    given: (history.final.effects ?? []).map(({ key }) => key),
    kinds: verdict.violations.map(({ kind }) => kind),
  };
}

test('both processes read 0: both give number 1', async () => {
  expect(await numbers('order-number/segment-unlocked', 'SELECT')).toEqual({
    given: ['1', '1'],
    kinds: ['duplicate'],
  });
});

test('MAX + 1: both orders have the same number', async () => {
  expect((await numbers('order-number/max-plus-one', 'SELECT')).kinds).toEqual(['duplicate']);
});

test('one conditional statement: the second process takes the next ten', async () => {
  expect(await numbers('order-number/segment-conditional', 'UPDATE')).toEqual({
    given: ['11', '1'],
    kinds: [],
  });
});

import { Schedule, after, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('both read the last unit before either writes: it is sold twice, and one update is lost', async () => {
  const s = await Schedule.begin(world, findStrategy('none'));
  await s.A.runUntil(after('SELECT'));
  await s.B.finish();
  await s.A.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations.map(({ sentence }) => sentence)).toEqual([
    '2 sold of 1: B 1 → 0, A 1 → 0',
    '1 lost: A and B both changed 1 to 0',
  ]);
  expect(history.final.amount).toBe(0);
});

test('with two units left the balance is one too high', async () => {
  const s = await Schedule.begin(world, findStrategy('none'), { stock: 2 });
  await s.A.runUntil(after('SELECT'));
  await s.B.finish();
  await s.A.finish();
  const { verdict, history } = await s.end();
  expect(verdict.violations.map(({ kind }) => kind)).toEqual(['lost-update']);
  expect(history.final.amount).toBe(1);
});

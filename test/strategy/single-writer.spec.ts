import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('an order that could not be withdrawn may still be served: its outcome is unknown, not a refusal', async () => {
  const schedule = await Schedule.begin(world, findStrategy('single-writer'), { stock: 2 });
  const { A, B } = schedule;
  await A.runUntil(before('take-turn'));
  await A.stepWith('error');
  await A.runUntil(before('INSERT IGNORE INTO decision'));
  await A.stepWith('error');
  await B.finish();
  const { history, verdict } = await schedule.end();
  expect([A.outcome, B.outcome]).toEqual(['OUTCOME_UNKNOWN', 'APPLIED']);
  expect(history.final.movements.map(({ request }) => request)).toEqual(['A', 'B']);
  expect(verdict.violations).toEqual([]);
});

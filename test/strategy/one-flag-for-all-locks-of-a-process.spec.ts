import { Schedule, before, type World } from '#lab/explore';
import { findStrategy, lockKey, type Strategy } from '#lab/strategy';
import { planted } from '../harness/planted';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const balanceOf = (request: string): string => (request === 'A' ? 'item' : 'other');

/** The same strategy with a separate balance for each buyer. */
const onSeparateBalances = (strategy: Strategy): Strategy =>
  planted(
    `${strategy.name}-apart`,
    (change, tools) => strategy.apply({ ...change, balance: balanceOf(change.request) }, tools),
    { options: strategy.options },
  );

/**
 * A works on `item`; B of the same process has bought `other`. Returns whether A's lock outlives its lease after
 * that.
 */
async function outlivesItsLease(name: string): Promise<boolean> {
  const schedule = await Schedule.begin(world, onSeparateBalances(findStrategy(name)), {
    processes: ['p1', 'p1'],
    options: { workMs: 10_000 },
  });
  const { A, B, run } = schedule;
  await A.runUntil(before('WORK'));
  await B.finish();
  expect(B.outcome).toBe('APPLIED');
  await A.slow(); // for two and a half leases
  const key = lockKey('item', name);
  const isThere = run.locks.states().some((lock) => lock.key === key && lock.owner === 'A');
  expect(await world.redis.exists(key)).toBe(isThere ? 1 : 0);
  await schedule.end();
  return isThere;
}

test('watchdog-shared-flag: one flag for all locks of a process, so the release of one lock stops the renewal of another', async () => {
  expect(await outlivesItsLease('watchdog-shared-flag')).toBe(false);
});

test.each(['watchdog', 'watchdog-naive'])(
  '%s: the release of one lock does not affect another',
  async (name) => {
    expect(await outlivesItsLease(name)).toBe(true);
  },
);

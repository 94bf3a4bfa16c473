import { systemClock } from '#lab/step';
import type { World } from '#lab/explore';
import { DEFAULT_OPTIONS, findStrategy, LocalProcess, lockKey, type Strategy } from '#lab/strategy';
import { setTimeout as delay } from 'node:timers/promises';
import { openWorld } from '../harness/servers';

const leaseMs = 300;
let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** A is inside, on `item`; B of the same process buys `other`. Answers how long A's lock lasts after that, in leases. */
async function leasesAfterTheEndOfB(strategy: Strategy, most: number): Promise<number> {
  const [seat] = world.seats;
  if (seat === undefined) throw new Error('the world has no seat');
  await world.begin({ stock: 1, strategy }); // both balances
  const { balances, redis, servers, folder } = seat;
  const process = new LocalProcess('p1');
  const options = { ...DEFAULT_OPTIONS, leaseMs };
  const buy = (balance: string, work: () => Promise<void>): Promise<unknown> =>
    strategy.apply(
      { balance, delta: -1, request: balance, replica: 'p1', strategy: strategy.name },
      { balances, redis, servers, folder, process, options, work, clock: systemClock, warn: () => undefined },
    );
  let leave: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => (leave = resolve));
  let entered: () => void = () => undefined;
  const isIn = new Promise<void>((resolve) => (entered = resolve));
  const a = buy('item', () => {
    entered();
    return inside;
  }).catch(() => undefined); // its lock may be lost
  await isIn;
  await buy('other', () => Promise.resolve());
  const begun = performance.now();
  const leases = (): number => (performance.now() - begun) / leaseMs;
  while (leases() < most && (await redis.exists(lockKey('item', strategy.name))) === 1) await delay(20);
  const lasted = leases();
  leave();
  await a;
  return lasted;
}

test('one flag for all locks of a process: the end of one lock stops the renewal of another', async () => {
  expect(await leasesAfterTheEndOfB(findStrategy('watchdog-shared-flag'), 5)).toBeLessThan(3);
});

test.each(['watchdog', 'watchdog-naive'])('%s: the end of one lock leaves another alone', async (name) => {
  expect(await leasesAfterTheEndOfB(findStrategy(name), 5)).toBeGreaterThanOrEqual(5);
});

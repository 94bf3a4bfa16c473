import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** The outcome of A, which is cut off from Redis while it works for longer than its lease. */
async function cutOff(name: string): Promise<string | undefined> {
  const schedule = await Schedule.begin(world, findStrategy(name), { options: { workMs: 10_000 }, stock: 2 });
  const { A } = schedule;
  await A.runUntil(before('WORK'));
  A.cut();
  await A.slow();
  await A.finish();
  await schedule.end();
  return A.outcome;
}

test.each(['watchdog', 'fair', 'reentrant', 'zookeeper', 'etcd'])(
  '%s: at the end of its lease the holder detects from its own clock that the lock is lost',
  async (name) => {
    expect(await cutOff(name)).toBe('LOCK.LOST');
  },
);

// fenced leaves the check to the row: the holder detects nothing and is refused only if a later holder has come
test.each(['expiring', 'token-lua', 'watchdog-naive', 'fenced'])(
  '%s: the holder does not detect the loss and sells',
  async (name) => {
    expect(await cutOff(name)).toBe('APPLIED');
  },
);

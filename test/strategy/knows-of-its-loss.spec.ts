import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** What A comes to, who is cut off from Redis at work, and at work for longer than its lease. */
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
  '%s: the holder knows at the end of its lease, from its own clock, that the lock is lost',
  async (name) => {
    expect(await cutOff(name)).toBe('LOCK.LOST');
  },
);

// of fenced the row decides: it knows nothing, and is refused when somebody else has come
test.each(['expiring', 'token-lua', 'watchdog-naive', 'fenced'])(
  '%s: the holder does not know, and sells',
  async (name) => {
    expect(await cutOff(name)).toBe('APPLIED');
  },
);

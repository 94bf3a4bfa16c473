/**
 * Scenario: Redis restarts without its data while a holder works.
 *
 * Why it breaks: the key is gone, so a second buyer acquires the lock; neither an owner token nor a watchdog
 * protects a key that no longer exists.
 *
 * Fix: fencing at the database, or Redis with persistence on every write.
 */
import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test.each(['setnx', 'expiring', 'token-lua', 'watchdog'])(
  '%s: the lock disappears while its holder works, and a second holder enters',
  async (name) => {
    const s = await Schedule.begin(world, findStrategy(name));
    await s.A.runUntil(before('UPDATE'));
    await s.flush();
    await s.B.finish();
    await s.A.finish();
    expect((await s.end()).verdict.violations.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['oversold', 'lost-update', 'overlap']),
    );
  },
);

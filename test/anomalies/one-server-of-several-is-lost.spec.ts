/**
 * Scenario: one of three Redis servers is unreachable, before a purchase or during its critical section.
 *
 * Result: with a majority (redlock) the two others still serve and still exclude a second holder; a lock that needs
 * all servers (multi-server) is unavailable. Without a majority redlock fails at once instead of waiting.
 */
import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, ['redlock']);
});
afterAll(() => world.close());

describe.each(['redis-1', 'redis-2', 'redis-3'])('%s', (server) => {
  test.each(['redlock', 'redlock-beta'])(
    '%s: a server lost before the purchase does not stop it: the majority serves both buyers',
    async (name) => {
      const s = await Schedule.begin(world, findStrategy(name), { stock: 2 });
      s.loseServer(server);
      await s.A.finish();
      await s.B.finish();
      const { verdict } = await s.end();
      expect([s.A.outcome, s.B.outcome]).toEqual(['APPLIED', 'APPLIED']);
      expect(verdict).toMatchObject({ violations: [], sold: 2 });
    },
  );

  test.each(['redlock', 'redlock-beta'])(
    '%s: a server lost during the critical section does not admit a second holder',
    async (name) => {
      const s = await Schedule.begin(world, findStrategy(name));
      await s.A.runUntil(before('UPDATE'));
      s.loseServer(server);
      await s.B.finish();
      expect(s.B.next).toMatchObject({ kind: 'timer', verb: 'WAIT' });
      await s.A.finish();
      expect((await s.end()).verdict.violations).toEqual([]);
    },
  );

  test('multi-server: no purchase succeeds, and the locks taken on the other servers are released', async () => {
    const s = await Schedule.begin(world, findStrategy('multi-server'), { stock: 2 });
    s.loseServer(server);
    await s.A.finish();
    await s.B.finish();
    const { history } = await s.end();
    expect([s.A.outcome, s.B.outcome]).toEqual(['DEPENDENCY.DOWN', 'DEPENDENCY.DOWN']);
    expect(history.final).toMatchObject({ movements: [], locks: [] });
  });
});

test.each(['redlock', 'redlock-beta'])(
  '%s: without a majority the request fails with DEPENDENCY.DOWN and does not wait',
  async (name) => {
    const s = await Schedule.begin(world, findStrategy(name));
    s.loseServer('redis-1');
    s.loseServer('redis-3');
    await s.A.finish();
    const { history } = await s.end();
    expect(s.A.outcome).toBe('DEPENDENCY.DOWN');
    expect(history.final).toMatchObject({ movements: [], locks: [] });
  },
);

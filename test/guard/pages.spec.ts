import { findGuard, useNamed } from '#lab/guard';
import type { World } from '#lab/explore';
import { openWorld } from '../harness/servers';
import { request, toolsIn } from './tools';

const KEY = 'home';
const page = useNamed('page');
const early = findGuard('page/early');
const stale = findGuard('page/stale');

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());
beforeEach(() => world.beginActions(stale, page, [KEY]));

/** A page that expires a minute from now, and that took a minute to build. */
const beforeItsExpiry = { expiresInMs: 60_000, buildMs: 60_000, time: -1 };
/** A page that expired in 1970. */
const longExpired = { time: 0 };

const prepare = async (state: typeof beforeItsExpiry | typeof longExpired): Promise<void> => {
  const { redis } = toolsIn(world);
  await page.prepare?.([KEY], { redis, ...state });
};

test('XFetch: before the expiry one reader builds, by its random number, and no reader receives an old page', async () => {
  await prepare(beforeItsExpiry);
  const before = await early.apply(request('r1', KEY), toolsIn(world, 0.3)); // 0.36 of the build before the expiry
  const builder = await early.apply(request('r2', KEY), toolsIn(world, 0.9)); // 2.3 times
  const after = await early.apply(request('r3', KEY), toolsIn(world, 0.9)); // the new build was fast
  expect([before, builder, after]).toMatchObject([
    { outcome: 'already-done', page: { builtBy: 'old', staleMs: 0 } },
    { outcome: 'done', page: { builtBy: 'r2', staleMs: 0 } },
    { outcome: 'already-done', page: { builtBy: 'r2', staleMs: 0 } },
  ]);
  expect(await world.effects(page)).toMatchObject([{ key: KEY, request: 'r2' }]);
});

test('XFetch: after the expiry every reader builds, whatever its random number', async () => {
  await prepare(longExpired);
  expect(await early.apply(request('r1', KEY), toolsIn(world, 0))).toMatchObject({ outcome: 'done' });
});

test('page/stale: while another reader builds, a reader receives the old page, and for how long it has expired', async () => {
  await prepare(longExpired);
  const tools = toolsIn(world);
  const builder = stale.apply(request('r1', KEY), {
    ...tools,
    work: async () => {
      const during = await stale.apply(request('r2', KEY), tools);
      expect(during).toMatchObject({ outcome: 'already-done', page: { text: 'old page', builtBy: 'old' } });
      expect(during.page?.staleMs).toBeGreaterThan(0);
    },
  });
  expect(await builder).toMatchObject({ outcome: 'done', page: { builtBy: 'r1', staleMs: 0 } });
});

test('page/stale: without any page the first reader builds it, and a second one waits for it', async () => {
  const tools = toolsIn(world);
  await tools.redis.flushdb();
  const builder = stale.apply(request('r1', KEY), {
    ...tools,
    work: async () => {
      const during = stale.apply(request('r2', KEY), tools); // with waitMs = 0
      await expect(during).rejects.toMatchObject({ code: 'LOCK.NOT_OBTAINED' });
    },
  });
  expect(await builder).toMatchObject({ outcome: 'done' });
});

test('a build is recorded with the time of the database', async () => {
  await findGuard('page/unprotected').apply(request('r1', KEY), toolsIn(world));
  const [{ now } = { now: NaN }] = await toolsIn(world).sql.query<{ now: number }[]>(
    'SELECT CAST(1000 * UNIX_TIMESTAMP(NOW(3)) AS SIGNED) AS now',
  );
  const [build] = await world.effects(page);
  expect(build?.at).toBeLessThanOrEqual(now);
  expect(build?.at).toBeGreaterThan(now - 60_000);
});

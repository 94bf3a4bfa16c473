import type { World } from '#lab/explore';
import { findStrategy, readModifyWrite, type Strategy } from '#lab/strategy';
import { checkDeterminism, type DeterminismResult } from '#load-tests/selftest';
import { EXPLORATION_MS } from '../harness/limits';
import { planted } from '../harness/planted';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** Servers are stopped by `lab selftest determinism` only: here they belong to all specs. */
const servers = { pause: () => Promise.resolve(), resume: () => Promise.resolve() };

const check = (strategies: readonly Strategy[]): Promise<DeterminismResult> =>
  checkDeterminism(world, {
    tokens: 24,
    seed: 1,
    strategies,
    conditions: ['idle'],
    servers,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onDifference: () => undefined,
  });

test('random schedules of every fault, and whole explorations, are identical when repeated', async () => {
  const result = await check(
    ['expiring', 'mysql-named-lock', 'mysql-lock-table', 'for-update', 'single-writer'].map(findStrategy),
  );
  expect(result.differences).toEqual([]);
  expect(result.conditions).toMatchObject([{ condition: 'idle', replays: 24 }]);
  expect(result.conditions[0]?.explored).toBeGreaterThan(90);
});

test('a strategy that behaves differently from time to time is found', async () => {
  let calls = 0;
  const moody = planted('moody', async (change, tools) => {
    if (++calls % 7 === 0) await tools.redis.get('extra');
    return readModifyWrite(change, tools);
  });
  const { differences } = await check([moody]);
  expect(differences.length).toBeGreaterThan(0);
  expect(differences[0]?.text).toMatch(/event \d+ is|no longer/);
});

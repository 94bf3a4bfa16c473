import { CELLS, strategyHash, type World } from '#lab/explore';
import {
  checkReduction,
  type LeftOut,
  type ReductionFindings,
  type ReductionResult,
} from '#load-tests/selftest';
import { findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const STRATEGY = findStrategy('conditional-update');
const NAME = STRATEGY.name;
/** Compared here: without the reduction, some of them have fewer schedules than the limits, and some have more. */
const CIRCUMSTANCES = ['two processes', 'same process', 'kill', 'lose-reply'];
const LARGEST = 1_000_000;
/** All others are known to be too large. */
const OTHERS: readonly LeftOut[] = CELLS.filter(({ name }) => !CIRCUMSTANCES.includes(name)).map(
  ({ name }) => ({ strategy: NAME, code: strategyHash(STRATEGY), cell: name, moreThan: LARGEST }),
);

/** Compares circumstances of the strategy, and lists those of which a schedule was run. */
async function check(
  max: number,
  known: ReductionFindings,
): Promise<ReductionFindings & { readonly ran: readonly string[] }> {
  const results: ReductionResult[] = [];
  const leftOut: LeftOut[] = [];
  const ran = new Set<string>();
  await checkReduction(world, {
    strategies: [STRATEGY],
    max,
    joinsStates: false,
    known: { ...known, leftOut: [...OTHERS, ...known.leftOut] },
    signal: new AbortController().signal,
    onProgress: (text) => ran.add(text.replace(/: .*/, '')),
    onResult: (result) => results.push(result),
    onLeftOut: (circumstance) => {
      if (circumstance.moreThan < LARGEST) leftOut.push(circumstance);
    },
  });
  return { results, leftOut, ran: [...ran] };
}

test('a check that goes on runs only what the earlier one has not compared', async () => {
  const first = await check(30, { results: [], leftOut: [] });
  expect(first.results.length).toBeGreaterThan(1);
  expect(first.leftOut.length).toBeGreaterThan(1);
  expect(first.ran).toHaveLength(first.results.length + first.leftOut.length);

  const [open, ...compared] = first.results;
  const next = await check(30, { ...first, results: compared });
  expect(next.ran).toEqual([`${NAME}, ${open?.cell}`]);
  expect(next.results).toHaveLength(first.results.length);
  expect(next.leftOut).toEqual(first.leftOut);

  const changed = first.results.map((result) => ({ ...result, code: 'other' }));
  const again = await check(30, { results: changed, leftOut: first.leftOut });
  expect(again.ran).toHaveLength(first.results.length);
  expect(again.results).toEqual(first.results);
});

test('what was too large for the earlier check is tried again with a larger limit', async () => {
  const first = await check(20, { results: [], leftOut: [] });
  const larger = await check(60, first);
  expect(larger.results.length).toBeGreaterThan(first.results.length);
  expect([...larger.ran].sort()).toEqual(first.leftOut.map(({ cell }) => `${NAME}, ${cell}`).sort());
});

import {
  CELLS,
  cellOf,
  expectedSign,
  explore,
  isAsExpected,
  judgeCell,
  planOf,
  type World,
} from '#lab/explore';
import { CATALOGUE, findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** So many schedules are enough to meet a violation that is there; what must be safe is explored to the end. */
const MOST_FOR_A_FAILURE = 150;

/** Cells with too many orders for a test: as many as this are run; the matrix has them all. */
const LARGE: ReadonlySet<string> = new Set(['single-writer, slow work', 'single-writer, lapse at release']);
const MOST_OF_A_LARGE_CELL = 300;

const cells = CATALOGUE.flatMap((strategy) =>
  CELLS.flatMap((cell) => {
    const expected = expectedSign(strategy, cell);
    return cell.promise !== undefined && expected !== undefined
      ? [{ title: `${strategy.name}, ${cell.name}: ${expected}`, strategy, cell, expected }]
      : [];
  }),
);

test.each(cells)('$title', async ({ strategy, cell, expected }) => {
  const isLarge = LARGE.has(`${strategy.name}, ${cell.name}`);
  const max = expected === 'violated' ? MOST_FOR_A_FAILURE : isLarge ? MOST_OF_A_LARGE_CELL : Infinity;
  const tally = await explore(world, planOf(strategy, cell), { max });
  expect(isAsExpected(strategy, cell, tally)).toBe(true);
  const { sign, because } = judgeCell(tally, cell.about);
  if (sign === 'unknown')
    expect(because).toContain(isLarge ? 'not every schedule was run' : 'never happened');
  else if (expected === 'violated') expect(sign).toBe('violated');
});

test('a process that is paused beyond its lease defeats the watchdog; work that is slow does not', async () => {
  const watchdog = findStrategy('watchdog');
  const paused = await explore(world, planOf(watchdog, cellOf('pause')), { max: MOST_FOR_A_FAILURE });
  expect(paused.kinds.get('oversold')).toBeGreaterThan(0);
  for (const name of ['slow work', 'lapse']) {
    const tally = await explore(world, planOf(watchdog, cellOf(name)));
    expect([name, tally.violating, tally.partial]).toEqual([name, 0, false]);
    expect(judgeCell(tally, cellOf(name).about).sign).toBe('safe');
  }
});

test('a fault that never happens proves nothing', async () => {
  const tally = await explore(world, planOf(findStrategy('for-update'), cellOf('lapse')));
  const { sign, because } = judgeCell(tally, 'lapse');
  expect(sign).toBe('unknown');
  expect(because).toContain('never happened');
});

test('an exploration that was cut short proves nothing', async () => {
  const tally = await explore(world, planOf(findStrategy('for-update'), cellOf('two processes')), { max: 2 });
  expect(judgeCell(tally, undefined)).toEqual({ sign: 'unknown', because: 'not every schedule was run' });
});

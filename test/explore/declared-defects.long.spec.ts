import {
  CELLS,
  breachesOf,
  existsFor,
  explore,
  planOf,
  readToken,
  replay,
  testedBy,
  type Cell,
  type Tally,
  type World,
} from '#lab/explore';
import { CAPABILITIES, CATALOGUE, type Capability, type Strategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';
import { tokenOf } from './committed-matrix';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** The schedule that docs/matrix.json has of a cell breaks the promise. */
async function isShownByToken(cell: Cell, strategy: Strategy, capability: Capability): Promise<boolean> {
  const token = tokenOf(strategy.name, cell.name);
  if (token === undefined) return false;
  const { violations } = (await replay(world, readToken(token))).verdict;
  return violations.some(({ kind }) => breachesOf(capability).includes(kind));
}

/** The maximal number of schedules per cell. */
const MAX_SCHEDULES = 2000;

/** The cells that test a promise and exist for the strategy. */
const cellsOf = (capability: Capability, strategy: Strategy): readonly Cell[] =>
  CELLS.filter((cell) => testedBy(cell).includes(capability) && existsFor(strategy, cell));

/** Explores until a schedule breaks the promise; false if none does. */
async function isShownBySearch(cell: Cell, strategy: Strategy, capability: Capability): Promise<boolean> {
  const wanted = breachesOf(capability);
  const shown = new AbortController();
  const shows = ({ kinds }: Tally): boolean => wanted.some((kind) => kinds.has(kind));
  const tally = await explore(world, planOf(strategy, cell), {
    max: MAX_SCHEDULES,
    signal: shown.signal,
    onProgress: (found) => {
      if (shows(found)) shown.abort();
    },
  });
  return shows(tally);
}

/** First by the tokens, which are one schedule each. */
async function isShownInAny(
  cells: readonly Cell[],
  strategy: Strategy,
  capability: Capability,
): Promise<boolean> {
  for (const isShown of [isShownByToken, isShownBySearch])
    for (const cell of cells) if (await isShown(cell, strategy, capability)) return true;
  return false;
}

test.each(Object.keys(CAPABILITIES) as Capability[])('%s: a cell tests it', (capability) => {
  expect(CELLS.flatMap(testedBy)).toContain(capability);
});

const defects = CATALOGUE.flatMap((strategy) =>
  strategy.lacks.map((capability) => ({ title: `${strategy.name}, ${capability}`, strategy, capability })),
);

test.each(defects)('$title: a cell shows the defect', async ({ strategy, capability }) => {
  const cells = cellsOf(capability, strategy);
  expect({ isShown: await isShownInAny(cells, strategy, capability), cells }).toMatchObject({
    isShown: true,
  });
});

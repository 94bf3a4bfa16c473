import { cellOf, explore, judgeCell, planOf, type Cell, type Tally, type World } from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import { worstHarm, type Harm, type Mark, type ScheduleViolationKind } from '#lab/verdict';
import { openWorld } from '../harness/servers';
import * as plants from './plants';

let world: World;

/** A planted bug, and the mark that a cell must give it. */
interface Row {
  readonly cell: string;
  readonly plant: plants.Plant;
  readonly mark: Harm;
  readonly kinds: readonly ScheduleViolationKind[];
  /** Whether the bug also shows without any fault. */
  readonly showsAnyway?: true;
  /** The mark of the fixed code; default safe. `unknown`: the fault does not exist for it. */
  readonly fixed?: 'unknown' | 'lock-broken';
  /** Whether the cell has more schedules than a spec can run. */
  readonly isLarge?: true;
}

export const ROWS: readonly Row[] = [
  {
    cell: 'two processes',
    plant: plants.hostInTheKey,
    mark: 'data-wrong',
    kinds: ['oversold', 'lost-update'],
    showsAnyway: true,
  },
  {
    cell: 'same process',
    plant: plants.ownerIsTheProcess,
    mark: 'data-wrong',
    kinds: ['oversold', 'lost-update'],
  },
  { cell: 'crossed carts', plant: plants.rowsInCartOrder, mark: 'unavailable', kinds: ['dead-lock'] },
  { cell: 'kill', plant: plants.twoTransactions(() => world), mark: 'data-wrong', kinds: ['undersold'] },
  {
    cell: 'kill before expiry',
    plant: plants.expiryComesLater,
    mark: 'unavailable',
    kinds: ['stuck'],
    fixed: 'unknown',
  },
  { cell: 'slow work', plant: plants.renewsOnce, mark: 'data-wrong', kinds: ['oversold', 'lost-update'] },
  { cell: 'overrun', plant: plants.endsSilently, mark: 'data-wrong', kinds: ['oversold', 'lost-update'] },
  { cell: 'pause', plant: plants.trustsTheRenewal, mark: 'data-wrong', kinds: ['oversold', 'lost-update'] },
  {
    cell: 'lapse',
    plant: plants.stopsBeforeTheWrite,
    mark: 'data-wrong',
    kinds: ['oversold', 'lost-update'],
  },
  { cell: 'lapse', plant: plants.leaseAboveACondition, mark: 'lock-broken', kinds: ['overlap'] },
  {
    cell: 'lapse at release',
    plant: plants.comparesThenDeletes,
    mark: 'lock-broken',
    kinds: ['foreign-release'],
  },
  { cell: 'cut', plant: plants.sellsWithoutRedis, mark: 'data-wrong', kinds: ['oversold', 'lost-update'] },
  {
    cell: 'cut at work',
    plant: plants.failedRenewalIsMissed,
    mark: 'data-wrong',
    kinds: ['oversold', 'lost-update'],
  },
  {
    cell: 'in-flight',
    plant: plants.workOnAnotherConnection,
    mark: 'data-wrong',
    kinds: ['oversold', 'lost-update'],
  },
  { cell: 'lose-reply', plant: plants.triesAgainAfterCommit, mark: 'data-wrong', kinds: ['orphan'] },
  {
    cell: 'failed acquire',
    plant: plants.sellsAfterAFailedAcquire,
    mark: 'data-wrong',
    kinds: ['fail-open', 'lost-update'],
  },
  { cell: 'failed release', plant: plants.stopsTimerAfterRelease, mark: 'unavailable', kinds: ['stuck'] },
  {
    cell: 'failed write',
    plant: plants.failedWriteIsLogged,
    mark: 'data-wrong',
    kinds: ['lost-acknowledged'],
  },
  {
    cell: 'lost session',
    plant: plants.workOnAnotherConnection,
    mark: 'data-wrong',
    kinds: ['oversold', 'lost-update'],
    isLarge: true,
  },
  {
    cell: 'flush',
    plant: plants.trustsRedis,
    mark: 'data-wrong',
    kinds: ['oversold', 'lost-update'],
    fixed: 'lock-broken',
  },
  { cell: 'stock for both', plant: plants.conflictIsSoldOut, mark: 'data-wrong', kinds: ['undersold'] },
  { cell: 'one try each', plant: plants.releasesInCatch, mark: 'unavailable', kinds: ['starved'] },
  {
    cell: 'the waiter gives up',
    plant: plants.acquiresInTheTry,
    mark: 'lock-broken',
    kinds: ['foreign-release'],
  },
  { cell: 'the waiter gives up', plant: plants.waitsForEver, mark: 'unavailable', kinds: ['late'] },
  { cell: 'killed after long work', plant: plants.addsALease, mark: 'unavailable', kinds: ['starved'] },
  {
    cell: 'failed release after long work',
    plant: plants.addsALease,
    mark: 'unavailable',
    kinds: ['starved'],
  },
  {
    cell: 'paused, then slow work',
    plant: plants.renewsWhatever,
    mark: 'lock-broken',
    kinds: ['foreign-renewal'],
    fixed: 'lock-broken',
    isLarge: true,
  },
  {
    cell: 'two products',
    plant: plants.oneTimerForAProcess,
    mark: 'data-wrong',
    kinds: ['oversold', 'lost-update'],
    isLarge: true,
  },
];

/** The maximal number of schedules of a cell that is too large to be searched completely. */
const MAX_OF_LARGE = 200;

/** Explores a cell until it is known to be data-wrong; a cell that is not large is searched completely. */
async function search(strategy: Strategy, cell: Cell, isLarge = false): Promise<Tally> {
  const limits = { enough: 1, ...(isLarge && { max: MAX_OF_LARGE }) };
  const tally = await explore(world, planOf(strategy, cell), limits);
  const isWrong = tally.harms['data-wrong'] > 0;
  expect(tally.partial && !isLarge && !isWrong).toBe(false);
  return tally;
}

/** The mark of a cell; for a large one, of the part that was searched. */
const markOf = (tally: Tally, { about }: Cell): Mark =>
  tally.partial ? (worstHarm(tally.kinds.keys()) ?? 'safe') : judgeCell(tally, about).mark;

/** Opens a world for the spec file, and defines its tests of the planted bugs. */
export function testPlantedCells(file: string): void {
  beforeAll(async () => {
    world = await openWorld(file, []);
  });
  afterAll(() => world.close());

  describe.each(ROWS)('$cell: $plant.bug.name', (row) => {
    const { plant, mark, kinds, showsAnyway = false, fixed = 'safe', isLarge = false } = row;
    const cell = cellOf(row.cell);

    (showsAnyway ? null : test)?.('shows nothing when only the interleaving varies', async () => {
      const plain = cellOf('two processes');
      const tally = await search(plant.bug, plain);
      expect([...tally.kinds.keys()]).toEqual([]);
      expect(markOf(tally, plain)).toBe('safe');
    });

    test(`is marked ${mark} by the cell`, async () => {
      const tally = await search(plant.bug, cell, isLarge);
      expect([...tally.kinds.keys()]).toEqual(expect.arrayContaining([...kinds]));
      expect(markOf(tally, cell)).toBe(mark);
    });

    test(`is marked ${fixed} when it is fixed`, async () => {
      const tally = await search(plant.fix, cell, isLarge);
      expect([...tally.kinds.keys()].filter((kind) => kinds.includes(kind))).toEqual([]);
      expect(markOf(tally, cell)).toBe(fixed);
    });
  });
}

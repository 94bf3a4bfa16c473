import { sellsCarts, type Capability, type Options, type Strategy, type FaultName } from '#lab/strategy';

import { budgetText, workMsFor, type Budget } from '../faults';
import { type FaultPlaces, EXPLORE_OPTIONS } from '../schedule';
import type { Plan } from '../search';

/** One circumstance of the failure matrix: a plan that every strategy is explored with. */
export interface Cell {
  readonly name: string;
  /** Column title. */
  readonly title: string;
  readonly processes: readonly string[];
  readonly budget: Budget;
  /** The fault that the cell is about, which must have occurred. Absent: the cell is about interleavings only. */
  readonly about?: FaultName;
  readonly faultPlaces?: FaultPlaces;
  readonly options?: Partial<Options>;
  /** Units of each balance; absent: 1. */
  readonly stock?: number;
  /** Carts of the buyers; carts of several balances are only for strategies that sell carts. */
  readonly carts?: readonly (readonly string[])[];
  /**
   * The promise that this cell tests. A strategy without this promise breaks it here, unless it `mayHold`: then
   * another cell shows it. Absent: the cell tests no single promise.
   */
  readonly promise?: { readonly capability: Capability; readonly mayHold?: true };
  /** Further promises that may break here, because no other cell shows them for some strategies. */
  readonly alsoTests?: readonly Capability[];
}

const TWO = ['p1', 'p2'];
/**
 * Slow work takes 20 s of virtual time: the lock of a holder that dies then must end by 28 s, before the waiter gives
 * up. Milliseconds.
 */
const SHORTER_THAN_THE_WAIT = { leaseMs: 8000, waitMs: 30_000, workMs: 10_000 };
/** Two balances in opposite order. */
export const CROSSED_CARTS = [
  ['item', 'other'],
  ['other', 'item'],
] as const;

/** All cells, in the order of the table's columns. */
export const CELLS: readonly Cell[] = [
  {
    name: 'two processes',
    title: 'two processes',
    processes: TWO,
    budget: {},
    promise: { capability: 'exactAcrossProcesses' },
  },
  {
    name: 'same process',
    title: 'one process',
    processes: ['p1', 'p1'],
    budget: {},
    promise: { capability: 'exactInOneProcess' },
    alsoTests: ['releasesOnlyItsOwn'],
  },
  {
    name: 'crossed carts',
    title: 'two carts in opposite order',
    processes: TWO,
    budget: {},
    carts: CROSSED_CARTS,
    promise: { capability: 'servesCrossedCarts' },
  },
  {
    name: 'kill',
    title: 'killed at each step',
    processes: TWO,
    budget: { kill: 1 },
    about: 'kill',
    promise: { capability: 'survivesDeadHolder' },
  },
  {
    name: 'kill before expiry',
    title: 'killed while the key has no expiry',
    processes: TWO,
    budget: { kill: 1 },
    about: 'kill',
    faultPlaces: { kill: 'no-expiry' },
    promise: { capability: 'survivesDeadHolder' },
  },
  {
    name: 'slow work',
    title: 'work longer than the lease',
    processes: TWO,
    budget: { slow: 1 },
    about: 'slow',
    options: { workMs: 10_000 },
    promise: { capability: 'survivesSlowWork', mayHold: true },
  },
  {
    name: 'overrun',
    title: 'a step longer than any renewal',
    processes: TWO,
    budget: { overrun: 1 },
    about: 'overrun',
  },
  {
    name: 'pause',
    title: 'paused beyond the lease',
    processes: TWO,
    budget: { pause: 1 },
    about: 'pause',
    promise: { capability: 'survivesLapse', mayHold: true },
  },
  {
    name: 'lapse',
    title: 'the lease ends',
    processes: TWO,
    budget: { lapse: 1 },
    about: 'lapse',
    promise: { capability: 'survivesLapse', mayHold: true },
  },
  {
    name: 'lapse at release',
    title: 'the lease ends at the release',
    processes: TWO,
    budget: { lapse: 1 },
    about: 'lapse',
    faultPlaces: { lapse: 'release' },
    promise: { capability: 'releasesOnlyItsOwn', mayHold: true },
  },
  {
    name: 'cut',
    title: 'cut off from the lock servers',
    processes: TWO,
    budget: { cut: 1, lapse: 1 },
    about: 'cut',
  },
  {
    name: 'cut at work',
    title: 'cut off from the lock servers, and the work is longer than the lease',
    processes: TWO,
    budget: { cut: 1, slow: 1 },
    about: 'cut',
    options: { workMs: 10_000 },
    promise: { capability: 'noticesLoss' },
  },
  {
    name: 'in-flight',
    title: 'killed, its statement arrives later',
    processes: TWO,
    budget: { 'in-flight': 1, lapse: 1 },
    about: 'in-flight',
  },
  {
    name: 'lose-reply',
    title: 'a reply is lost',
    processes: TWO,
    budget: { 'lose-reply': 1 },
    about: 'lose-reply',
  },
  {
    name: 'failed acquire',
    title: 'the acquire fails',
    processes: TWO,
    budget: { error: 1 },
    about: 'error',
    faultPlaces: { error: 'acquire' },
    stock: 2, // a buyer may try again when the other one has sold
    promise: { capability: 'failsClosed' },
  },
  {
    name: 'failed release',
    title: 'the release fails',
    processes: TWO,
    budget: { error: 1 },
    about: 'error',
    faultPlaces: { error: 'release' },
    promise: { capability: 'survivesFailedRelease', mayHold: true },
  },
  {
    name: 'failed write',
    title: 'the write fails',
    processes: TWO,
    budget: { error: 1 },
    about: 'error',
    faultPlaces: { error: 'write' },
    promise: { capability: 'survivesFailedWrite' },
  },
  {
    name: 'lost session',
    title: 'the database session is lost',
    processes: TWO,
    budget: { 'lost-session': 1 },
    about: 'lost-session',
    alsoTests: ['survivesLapse'],
  },
  {
    name: 'flush',
    title: 'Redis restarts empty',
    processes: TWO,
    budget: { flush: 1 },
    about: 'flush',
    promise: { capability: 'survivesLapse', mayHold: true },
    alsoTests: ['releasesOnlyItsOwn', 'renewsOnlyItsOwn'],
  },
  {
    name: 'stock for both',
    title: 'two buyers, three units',
    processes: TWO,
    budget: {},
    stock: 3,
    promise: { capability: 'sellsToTheLast' },
  },
  {
    name: 'one try each',
    title: 'two units, each buyer tries once',
    processes: TWO,
    budget: {},
    stock: 2,
    options: { waitMs: 0 },
    promise: { capability: 'releasesAfterSale' },
  },
  {
    name: 'the waiter gives up',
    title: 'the holder is killed, the waiter gives up before the lease ends',
    processes: TWO,
    budget: { kill: 1 },
    about: 'kill',
    options: { waitMs: 3000 },
    promise: { capability: 'losersTouchNothing' },
    alsoTests: ['givesUpInTime', 'releasesOnlyItsOwn'],
  },
  {
    name: 'killed after long work',
    title: 'killed after work longer than the lease',
    processes: TWO,
    budget: { slow: 1, kill: 1 },
    about: 'kill',
    options: SHORTER_THAN_THE_WAIT,
    promise: { capability: 'grantsOneLease' },
  },
  {
    name: 'failed release after long work',
    title: 'the release fails after work longer than the lease',
    processes: TWO,
    budget: { slow: 1, error: 1 },
    about: 'error',
    faultPlaces: { error: 'release' },
    options: SHORTER_THAN_THE_WAIT,
    promise: { capability: 'survivesFailedRelease', mayHold: true },
  },
  {
    name: 'paused, then slow work',
    title: 'one is paused beyond the lease, one works longer than it',
    processes: TWO,
    budget: { pause: 1, slow: 1 },
    about: 'pause',
    options: { workMs: 10_000 },
    promise: { capability: 'renewsOnlyItsOwn' },
  },
  {
    name: 'two products',
    title: 'two products in one process, work longer than the lease',
    processes: ['p1', 'p1', 'p2'],
    budget: { slow: 1 },
    about: 'slow',
    options: { workMs: 10_000 },
    carts: [['item'], ['other'], ['item']],
    promise: { capability: 'survivesSlowWork', mayHold: true },
  },
];

/**
 * For a lock in a file that is taken with GET_LOCK, and no column of the matrix: the session of a killed holder ends, and its lock with
 * it, so that no waiter has to give up.
 */
export const HOST_DOWN: Cell = {
  name: 'host down',
  title: 'the host of the holder fails, the waiter gives up',
  processes: TWO,
  budget: { 'host-down': 1 },
  about: 'host-down',
  options: { waitMs: 3000 },
  promise: { capability: 'givesUpInTime' },
};

/** The promises that a cell tests. */
export const testedBy = ({ promise, alsoTests = [] }: Cell): readonly Capability[] =>
  promise === undefined ? alsoTests : [promise.capability, ...alsoTests];

export const testsNone = (cell: Cell): boolean => testedBy(cell).length === 0;

/** It tests one of these promises. */
export const testsAny = (cell: Cell, promises: readonly Capability[]): boolean =>
  testedBy(cell).some((promise) => promises.includes(promise));

/** False when the cell has carts and the strategy sells none. */
export const existsFor = (strategy: Strategy, { carts = [] }: Cell): boolean =>
  carts.every((cart) => cart.length === 1) || sellsCarts(strategy);

/** Finds a cell by name. */
export function cellOf(name: string): Cell {
  const found = CELLS.find((cell) => cell.name === name);
  if (found === undefined) throw new Error(`there is no cell "${name}"`);
  return found;
}

/**
 * Time advances only when no step is possible, so that a loop of foreign code would look at a lock only after the holder has
 * finished. Where work outlives the lease, one of its timers may fire before that.
 */
const budgetOf = ({ setsTimers }: Strategy, { budget }: Cell): Budget =>
  setsTimers === true && budget.slow !== undefined ? { ...budget, tick: 1 } : budget;

/** The plan of a cell for a strategy. */
export const planOf = (strategy: Strategy, cell: Cell): Plan => ({
  setup: {
    strategy,
    options: { ...EXPLORE_OPTIONS, ...cell.options },
    stock: cell.stock ?? 1,
    processes: cell.processes,
    ...(cell.carts !== undefined && { carts: cell.carts }),
  },
  budget: budgetOf(strategy, cell),
  faultPlaces: cell.faultPlaces ?? {},
  reduce: true,
});

/** The command that explores a cell; undefined: it injects its fault only at certain steps, which no option says. */
export function exploreCommandOf(strategy: Strategy, cell: Cell): string | undefined {
  if (cell.faultPlaces !== undefined || (cell.carts !== undefined && cell.carts !== CROSSED_CARTS))
    return undefined;
  return ['npx lab explore', strategy.name, ...exploreOptionsOf(planOf(strategy, cell))].join(' ');
}

/** The options of `lab explore` for the circumstances of a plan; carts are the crossed ones. */
export function exploreOptionsOf({ setup, budget }: Plan): readonly string[] {
  const { processes, stock, carts, options } = setup;
  const usual = { ...EXPLORE_OPTIONS, workMs: workMsFor(budget) };
  const given = (['leaseMs', 'waitMs', 'workMs', 'wait', 'isolation'] as const).filter(
    (name) => options[name] !== usual[name],
  );
  return [
    ...(processes.length === 2 ? [] : [`--actors ${processes.length}`]),
    ...(new Set(processes).size === 1 ? ['--same-process'] : []),
    ...(carts === undefined ? [] : ['--crossed-carts']),
    ...(stock === 1 ? [] : [`--stock ${stock}`]),
    ...(Object.keys(budget).length === 0 ? [] : [`--faults ${budgetText(budget)}`]),
    ...given.map((name) => `--${name.replace('Ms', '-ms')} ${options[name]}`),
  ];
}

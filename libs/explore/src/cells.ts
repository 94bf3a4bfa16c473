import { sellsCarts, type Capability, type Options, type Strategy } from '#lab/strategy';
import type { FaultName, ScheduleViolationKind } from '#lab/verdict';
import type { Budget } from './budget';
import type { Places } from './choice';
import type { Plan } from './execution';
import { EXPLORE_OPTIONS } from './schedule';

/** One circumstance of the failure matrix. */
export interface Cell {
  readonly name: string;
  /** What happens, in the words of a table's head. */
  readonly title: string;
  readonly processes: readonly string[];
  readonly budget: Budget;
  /** The fault that must have happened: the cell is about it. Absent: about nothing but the order of steps. */
  readonly about?: FaultName;
  readonly places?: Places;
  readonly options?: Partial<Options>;
  /** What the buyers want; only for strategies that sell carts. */
  readonly carts?: readonly (readonly string[])[];
  /** The promise that this circumstance tests, and the violations that break it; absent: nobody promises anything. */
  readonly promise?: { readonly capability: Capability; readonly kinds: readonly ScheduleViolationKind[] };
}

const TWO = ['p1', 'p2'];
/** Two things in opposite order. */
export const CROSSED_CARTS = [
  ['item', 'other'],
  ['other', 'item'],
] as const;
const SOLD_TWICE = ['oversold', 'lost-update', 'lost-acknowledged'] as const;

/** Every circumstance, in the order of the table's columns. */
export const CELLS: readonly Cell[] = [
  {
    name: 'two processes',
    title: 'two processes',
    processes: TWO,
    budget: {},
    promise: { capability: 'exactAcrossProcesses', kinds: SOLD_TWICE },
  },
  {
    name: 'same process',
    title: 'one process',
    processes: ['p1', 'p1'],
    budget: {},
    promise: { capability: 'exactInOneProcess', kinds: SOLD_TWICE },
  },
  {
    name: 'crossed carts',
    title: 'two carts in opposite order',
    processes: TWO,
    budget: {},
    carts: CROSSED_CARTS,
    promise: { capability: 'servesCrossedCarts', kinds: [...SOLD_TWICE, 'dead-lock', 'torn-cart'] },
  },
  {
    name: 'kill',
    title: 'killed at each step',
    processes: TWO,
    budget: { kill: 1 },
    about: 'kill',
    promise: { capability: 'survivesDeadHolder', kinds: ['stuck', 'undersold'] },
  },
  {
    name: 'kill before expiry',
    title: 'killed while the key has no expiry',
    processes: TWO,
    budget: { kill: 1 },
    about: 'kill',
    places: { kill: 'no-expiry' },
    promise: { capability: 'survivesDeadHolder', kinds: ['stuck', 'undersold'] },
  },
  {
    name: 'slow work',
    title: 'work longer than the lease',
    processes: TWO,
    budget: { slow: 1 },
    about: 'slow',
    options: { workMs: 10_000 },
    promise: { capability: 'survivesSlowWork', kinds: SOLD_TWICE },
  },
  {
    name: 'overrun',
    title: 'a step longer than any renewal',
    processes: TWO,
    budget: { overrun: 1 },
    about: 'overrun',
  },
  { name: 'pause', title: 'paused beyond the lease', processes: TWO, budget: { pause: 1 }, about: 'pause' },
  { name: 'lapse', title: 'the lease ends', processes: TWO, budget: { lapse: 1 }, about: 'lapse' },
  {
    name: 'lapse at release',
    title: 'the lease ends at the release',
    processes: TWO,
    budget: { lapse: 1 },
    about: 'lapse',
    places: { lapse: 'release' },
    promise: { capability: 'releasesOnlyItsOwn', kinds: ['foreign-release'] },
  },
  { name: 'cut', title: 'cut off from Redis', processes: TWO, budget: { cut: 1, lapse: 1 }, about: 'cut' },
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
    name: 'failed release',
    title: 'the release fails',
    processes: TWO,
    budget: { error: 1 },
    about: 'error',
    places: { error: 'release' },
  },
  { name: 'flush', title: 'Redis restarts empty', processes: TWO, budget: { flush: 1 }, about: 'flush' },
];

/** False when the circumstance does not exist for the strategy: it sells no carts. */
export const existsFor = (strategy: Strategy, { carts }: Cell): boolean =>
  carts === undefined || sellsCarts(strategy);

/** A circumstance by its name. */
export function cellOf(name: string): Cell {
  const found = CELLS.find((cell) => cell.name === name);
  if (found === undefined) throw new Error(`there is no cell "${name}"`);
  return found;
}

/** What to explore for a strategy in a circumstance. */
export const planOf = (strategy: Strategy, cell: Cell, stock = 1): Plan => ({
  setup: {
    strategy,
    options: { ...EXPLORE_OPTIONS, ...cell.options },
    stock,
    processes: cell.processes,
    ...(cell.carts !== undefined && { carts: cell.carts }),
  },
  budget: cell.budget,
  places: cell.places ?? {},
  reduce: true,
});

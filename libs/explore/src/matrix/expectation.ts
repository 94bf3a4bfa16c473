import type { Guard } from '#lab/guard';
import {
  faultsThatTest,
  faultsWith,
  type Capability,
  type FaultName,
  type Strategy,
  type ViolationKind,
} from '#lab/strategy';
import { SOLD_TWICE, type ScheduleViolationKind } from '#lab/verdict';
import { existsFor, testedBy, type Cell } from './cells';
import { judgeCell } from './cell-verdict';
import type { Tally } from '../search';
import type { ExploredLimiter } from '../world';

type Kind = ScheduleViolationKind;

/** What shows that a promise is broken. */
interface Breach {
  /** The violations that break it. */
  readonly kinds: readonly Kind[];
  /** Further violations that break it. No strategy of the catalogue declares them by the missing promise. */
  readonly unserved?: readonly Kind[];
  /** Further violations that a strategy without the promise may show, and that do not break it. */
  readonly effects?: readonly Kind[];
  /** Faults with which a strategy without the promise may show them; absent: none is required. */
  readonly faults?: readonly FaultName[];
}

const ENDS_LOCKS = faultsWith('endsLocks');
const LEAVES_LOCKS = faultsWith('leavesLocks');

/** Two holders: the data may become wrong, and each may release or renew the lock of the other. */
const TWO_HOLDERS = ['overlap', 'foreign-release', 'foreign-renewal'] as const;

/** A buyer is refused without a reason, so that a unit may be left that both wanted. */
const UNSERVED = ['starved', 'dead-lock'] as const;

/**
 * The two promises of exactness apply to buyers in one process and in several. A missing promise may declare that a buyer is not
 * served: then that contradicts no exactness.
 */
const BREACHES: Readonly<Record<Capability, Breach>> = {
  exactInOneProcess: { kinds: SOLD_TWICE, unserved: UNSERVED, effects: TWO_HOLDERS },
  exactAcrossProcesses: { kinds: SOLD_TWICE, unserved: UNSERVED, effects: TWO_HOLDERS },
  survivesDeadHolder: { kinds: ['stuck', 'undersold', 'starved', 'dead-lock'], faults: LEAVES_LOCKS },
  survivesLapse: { kinds: SOLD_TWICE, faults: ENDS_LOCKS },
  sellsToTheLast: { kinds: ['undersold'] },
  survivesFailedWrite: { kinds: ['undersold'], faults: LEAVES_LOCKS },
  releasesOnlyItsOwn: { kinds: ['foreign-release'] },
  survivesSlowWork: { kinds: SOLD_TWICE, faults: faultsThatTest('survivesSlowWork') },
  noticesLoss: { kinds: SOLD_TWICE, faults: faultsThatTest('noticesLoss') },
  releasesAfterSale: { kinds: ['stuck', 'starved'] },
  survivesFailedRelease: { kinds: ['stuck', 'starved'], faults: LEAVES_LOCKS },
  grantsOneLease: { kinds: ['starved', 'stuck'], faults: LEAVES_LOCKS },
  losersTouchNothing: { kinds: ['foreign-release', 'foreign-renewal'] },
  servesCrossedCarts: {
    kinds: [...SOLD_TWICE, 'dead-lock', 'torn-cart', 'starved'],
    effects: ['overlap'],
  },
  renewsOnlyItsOwn: { kinds: ['foreign-renewal'], effects: ['stuck', 'starved'] },
  failsClosed: { kinds: ['fail-open'], effects: SOLD_TWICE, faults: faultsThatTest('failsClosed') },
  givesUpInTime: { kinds: ['late', 'dead-lock'], faults: LEAVES_LOCKS },
};

/** The kinds of violation that break the promise. */
export function breachesOf(capability: Capability): readonly Kind[] {
  const { kinds, unserved = [] } = BREACHES[capability];
  return [...kinds, ...unserved];
}

/**
 * Those of the kinds in a cell that break the promise. Where two clients hold the lock, a foreign release does
 * not show that a client changed a lock that it had failed to acquire: one holder may have released the lock of
 * the other.
 */
export const breachesAmong = (capability: Capability, shown: readonly Kind[]): readonly Kind[] =>
  shown.filter(
    (kind) =>
      breachesOf(capability).includes(kind) &&
      !(capability === 'losersTouchNothing' && kind === 'foreign-release' && shown.includes('overlap')),
  );

/** True when a fault may give a lock two holders: strategies then make promises for the data only, not for the lock. */
const isOverlapExpected = (faults: readonly FaultName[]): boolean =>
  faults.some((fault) => ENDS_LOCKS.includes(fault));

/** Conditions of an exploration, to find the missing promise that declares a violation. */
export interface Conditions {
  readonly processes: readonly string[];
  readonly faults: readonly FaultName[];
  readonly carts?: readonly (readonly string[])[];
}

/** True when the catalogue declares that the strategy may show this kind of violation under these conditions. */
export function declares({ lacks }: Pick<Strategy, 'lacks'>, kind: Kind, about: Conditions): boolean {
  const { processes, faults, carts = [] } = about;
  if (kind === 'overlap' && isOverlapExpected(faults)) return true;
  if (kind === 'stuck' && faults.includes('host-down')) return true; // no lock ends the transaction that writes the stock
  return lacks.some((capability) => {
    if (capability === 'exactInOneProcess' && new Set(processes).size === processes.length) return false;
    if (capability === 'exactAcrossProcesses' && new Set(processes).size === 1) return false;
    if (capability === 'servesCrossedCarts' && !carts.some((cart) => cart.length > 1)) return false;
    const { kinds, effects = [], faults: required } = BREACHES[capability];
    return [...kinds, ...effects].includes(kind) && (required?.some((one) => faults.includes(one)) ?? true);
  });
}

const conditionsOf = ({ processes, budget, carts }: Cell): Conditions => ({
  processes,
  faults: Object.keys(budget) as FaultName[],
  ...(carts !== undefined && { carts }),
});

/** True when a strategy without these promises may show this kind of violation in the cell. */
export const isExplainedBy = (lacks: readonly Capability[], kind: Kind, cell: Cell): boolean =>
  declares({ lacks }, kind, conditionsOf(cell));

/**
 * The kinds of violation that contradict the catalogue in this cell: no missing promise declares them, or they
 * break a promise that the cell tests and the strategy makes.
 */
export function undeclared(strategy: Strategy, cell: Cell, kinds: readonly Kind[]): readonly Kind[] {
  const about = conditionsOf(cell);
  // of a single schedule, the kinds may lack the overlap that others show
  const shown = declares(strategy, 'overlap', about) ? [...kinds, 'overlap' as const] : kinds;
  const broken = testedBy(cell)
    .filter((capability) => !strategy.lacks.includes(capability))
    .flatMap((capability) =>
      breachesAmong(capability, shown).filter((kind) => BREACHES[capability].kinds.includes(kind)),
    );
  return kinds.filter((kind) => !declares(strategy, kind, about) || broken.includes(kind));
}

/** The strategy promises that buyers in the processes of the cell sell no unit twice. */
const isExactIn = ({ lacks }: Strategy, { processes }: Cell): boolean =>
  !lacks.includes(new Set(processes).size > 1 ? 'exactAcrossProcesses' : 'exactInOneProcess');

/** What the catalogue declares for a strategy in a cell; undefined: nothing. */
export function expectedOf(strategy: Strategy, cell: Cell): 'kept' | 'broken' | undefined {
  if (!existsFor(strategy, cell)) return undefined;
  const { promise } = cell;
  const isExact = isExactIn(strategy, cell);
  if (promise === undefined) return isExact ? undefined : 'broken';
  if (!strategy.lacks.includes(promise.capability)) return isExact ? 'kept' : 'broken';
  return promise.mayHold === true ? undefined : 'broken';
}

/**
 * Contradictions to the catalogue: violations that no missing promise declares, and a promise that is declared broken
 * here but did not break. None when the fault never occurred.
 */
export function contradictions(strategy: Strategy, cell: Cell, tally: Tally): string[] {
  const { mark, reason } = judgeCell(tally, cell.about);
  if (reason?.code === 'fault-never-fired') return [];
  const isBroken = expectedOf(strategy, cell) === 'broken';
  const missing = isBroken && mark !== 'unknown' && tally.violating === 0 ? ['a declared defect'] : [];
  return [
    ...undeclared(strategy, cell, [...tally.kinds.keys()]).map(
      (kind) => `${kind} contradicts what ${strategy.name} promises`,
    ),
    ...missing.map((what) => `${what} of ${strategy.name} does not show`),
  ];
}

/** Deviations of an exploration from what a guard's catalogue entry declares for its faults. Empty: as documented. */
export function guardContradictions(
  { name, expected }: Pick<Guard | ExploredLimiter, 'name' | 'expected'>,
  faults: readonly FaultName[],
  tally: Tally,
): string[] {
  const declared = (['none', ...faults] as const).flatMap((fault) => expected[fault] ?? []);
  const may = new Set(declared.flatMap(({ must, may: besides = [] }) => [...must, ...besides]));
  const must = (expected[faults[0] ?? 'none'] ?? { must: [] }).must;
  const missing = tally.partial ? [] : must.filter((kind) => !tally.kinds.has(kind));
  return [
    ...[...tally.kinds.keys()]
      .filter((kind) => !may.has(kind as ViolationKind))
      .map((kind) => `${kind} contradicts what ${name} promises`),
    ...missing.map((kind) => `${kind} of ${name} does not show`),
  ];
}

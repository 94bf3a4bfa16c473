import type { Guard } from '#lab/guard';
import {
  faultsThatTest,
  faultsWith,
  type Capability,
  type FaultName,
  type Strategy,
  type ViolationKind,
} from '#lab/strategy';
import type { ScheduleViolationKind } from '#lab/verdict';
import { existsFor, type Cell } from './cells';
import { judgeCell } from './cell-verdict';
import type { Tally } from '../search';
import type { ExploredLimiter } from '../world';

type Kind = ScheduleViolationKind;

/** Kinds of violation in which a unit is sold twice or a sale is lost. */
export const SOLD_TWICE = ['oversold', 'lost-update', 'lost-acknowledged'] as const;

/** The violations that break a promise. `faults`: one of them is required; absent: none is required. */
interface Breach {
  readonly kinds: readonly Kind[];
  readonly faults?: readonly FaultName[];
}

const ENDS_LOCKS = faultsWith('endsLocks');
const LEAVES_LOCKS = faultsWith('leavesLocks');

/**
 * For each promise, the violations that a strategy without it declares. A violation that is not declared by a missing
 * promise contradicts the catalogue. The two promises of exactness apply to buyers in one process and in several.
 */
const BREACHES: Readonly<Record<Capability, Breach>> = {
  exactInOneProcess: { kinds: [...SOLD_TWICE, 'overlap', 'foreign-release', 'foreign-renewal'] },
  exactAcrossProcesses: { kinds: [...SOLD_TWICE, 'overlap', 'foreign-release', 'foreign-renewal'] },
  survivesDeadHolder: { kinds: ['stuck', 'undersold', 'starved', 'dead-lock'], faults: LEAVES_LOCKS },
  survivesLapse: { kinds: [...SOLD_TWICE], faults: ENDS_LOCKS },
  sellsToTheLast: { kinds: ['undersold'] },
  survivesFailedWrite: { kinds: ['undersold'], faults: LEAVES_LOCKS },
  releasesOnlyItsOwn: { kinds: ['foreign-release', 'foreign-renewal'] },
  survivesSlowWork: { kinds: [...SOLD_TWICE], faults: faultsThatTest('survivesSlowWork') },
  noticesLoss: { kinds: [...SOLD_TWICE], faults: faultsThatTest('noticesLoss') },
  releasesAfterSale: { kinds: ['stuck', 'starved'] },
  survivesFailedRelease: { kinds: ['stuck', 'starved'], faults: LEAVES_LOCKS },
  grantsOneLease: { kinds: ['starved', 'stuck'], faults: LEAVES_LOCKS },
  losersTouchNothing: { kinds: ['foreign-release', 'foreign-renewal'] },
  servesCrossedCarts: { kinds: [...SOLD_TWICE, 'dead-lock', 'torn-cart', 'starved', 'overlap'] },
  renewsOnlyItsOwn: { kinds: ['foreign-renewal', 'stuck', 'starved'] },
};

/** The kinds of violation that break the promise. */
export const breachesOf = (capability: Capability): readonly Kind[] => BREACHES[capability].kinds;

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
export function declares({ lacks }: Strategy, kind: Kind, about: Conditions): boolean {
  const { processes, faults, carts = [] } = about;
  if (kind === 'overlap' && isOverlapExpected(faults)) return true;
  return lacks.some((capability) => {
    if (capability === 'exactInOneProcess' && new Set(processes).size === processes.length) return false;
    if (capability === 'exactAcrossProcesses' && new Set(processes).size === 1) return false;
    if (capability === 'servesCrossedCarts' && !carts.some((cart) => cart.length > 1)) return false;
    const breach = BREACHES[capability];
    return breach.kinds.includes(kind) && (breach.faults?.some((fault) => faults.includes(fault)) ?? true);
  });
}

const conditionsOf = ({ processes, budget, carts }: Cell): Conditions => ({
  processes,
  faults: Object.keys(budget) as FaultName[],
  ...(carts !== undefined && { carts }),
});

/** The kinds of violation that no missing promise of the strategy declares in this cell. */
export const undeclared = (strategy: Strategy, cell: Cell, kinds: readonly Kind[]): readonly Kind[] =>
  kinds.filter((kind) => !declares(strategy, kind, conditionsOf(cell)));

/** What the catalogue declares for a strategy in a cell; undefined: nothing. */
export function expectedOf(strategy: Strategy, cell: Cell): 'kept' | 'broken' | undefined {
  if (!existsFor(strategy, cell)) return undefined;
  const { promise, processes } = cell;
  const isExact = !strategy.lacks.includes(
    new Set(processes).size > 1 ? 'exactAcrossProcesses' : 'exactInOneProcess',
  );
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

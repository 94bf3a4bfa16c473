import { groupBy } from '../group-by';
import type { Expectation, ViolationKind } from '#lab/strategy';
import type { Answer, Evidence, LockLeft } from './evidence';
import { acquired, judgeHolders, type ForeignRelease, type Overlap } from './holders';
import { prove, type FiredFault } from './proof';
import { judgeStock, type Duplicate } from './stock';

export type VerdictWord = 'safe' | 'violated' | 'unknown';

/** The verdict on a load run. Every number is computed from rows and history, never from a lock's own opinion. */
export interface LoadVerdict {
  readonly strategy: string;
  readonly initial: number;
  readonly sold: number;
  readonly finalStock: number;
  readonly oversold: number;
  readonly lostUpdates: number;
  readonly duplicates: readonly Duplicate[];
  readonly overlaps: readonly Overlap[];
  readonly foreignReleases: readonly ForeignRelease[];
  /** Locks left behind that never end. */
  readonly stuckLocks: readonly LockLeft[];
  readonly orphans: readonly string[];
  readonly undecided: number;
  /** Answers by code. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: readonly FiredFault[];
  /** Milliseconds from a fault to the next time that somebody got the lock; null when nobody did. */
  readonly outageMs: number | null;
  readonly violations: readonly ViolationKind[];
  readonly verdict: VerdictWord;
  /** Why the verdict is what it is: one sentence each. */
  readonly because: readonly string[];
  readonly expected: Expectation;
  readonly asExpected: boolean;
}

/** Judges a run against what the catalogue expects of its strategy in its circumstance. */
export function judgeLoad(evidence: Evidence, expected: Expectation): LoadVerdict {
  const stock = judgeStock(evidence);
  const holders = judgeHolders(evidence.history);
  const proof = prove(evidence, holders.tenures);
  const stuckLocks = evidence.locks.filter(({ ttlMs }) => ttlMs === null);
  const found: [ViolationKind, number, string][] = [
    ['oversold', stock.oversold, `${stock.sold} units sold of ${evidence.initial}`],
    [
      'lost-update',
      stock.lostUpdates,
      `${stock.lostUpdates} sold units are missing from the stock${firstDuplicate(stock.duplicates)}`,
    ],
    ['overlap', holders.overlaps.length, `${holders.overlaps.length} times a lock had two holders at work`],
    ['foreign-release', holders.foreignReleases.length, foreign(holders.foreignReleases)],
    [
      'stuck',
      stuckLocks.length,
      `${stuckLocks.map(({ key }) => key).join(', ')} has no expiry and nobody left to release it`,
    ],
    [
      'undersold',
      stock.refusedWithStock.length,
      `${stock.refusedWithStock.length} buyers were told "sold out" with stock left`,
    ],
    ['orphan', stock.orphans.length, `${stock.orphans.length} movements have no order`],
  ];
  const violated = found.filter(([, count]) => count > 0);
  const violations = violated.map(([kind]) => kind);
  const missing = [
    ...proof.missing,
    ...(stock.sold === Math.min(stock.demand, evidence.initial) && stock.sold > 0
      ? []
      : [`${stock.sold} sold of ${evidence.initial}`]),
    ...(holders.undecided > 0
      ? [`${holders.undecided} commands on locks have no place in the server's order`]
      : []),
  ];
  const verdict = violations.length > 0 ? 'violated' : missing.length > 0 ? 'unknown' : 'safe';
  return {
    strategy: evidence.strategy,
    initial: evidence.initial,
    finalStock: evidence.finalStock,
    sold: stock.sold,
    oversold: stock.oversold,
    lostUpdates: stock.lostUpdates,
    duplicates: stock.duplicates,
    overlaps: holders.overlaps,
    foreignReleases: holders.foreignReleases,
    stuckLocks,
    orphans: stock.orphans,
    undecided: holders.undecided,
    outcomes: countCodes(evidence.answers),
    faults: proof.fired,
    outageMs: outage(evidence, proof.fired),
    violations,
    verdict,
    because: {
      safe: ['each unit was sold once, and buyers did meet'],
      violated: [...violated.map(([, , sentence]) => sentence), ...proof.missing],
      unknown: missing,
    }[verdict],
    expected,
    asExpected: matches(violations, expected) && faultsProved(evidence, proof.fired) && verdict !== 'unknown',
  };
}

const matches = (violations: readonly ViolationKind[], { must, may }: Expectation): boolean =>
  must.every((kind) => violations.includes(kind)) &&
  violations.every((kind) => must.includes(kind) || may.includes(kind));

const faultsProved = ({ faults }: Evidence, fired: readonly FiredFault[]): boolean =>
  faults.every((fault) => fired.some((f) => fault.includes(f.fault) && f.seenBy !== null));

function firstDuplicate([first]: readonly Duplicate[]): string {
  if (first === undefined) return '';
  const sellers = first.sales.slice(0, 2).map(({ request, replica }) => `${request} on ${replica}`);
  return `; "${first.value} left" was sold by ${sellers.join(' and by ')}`;
}

const foreign = ([first, ...more]: readonly ForeignRelease[]): string =>
  first === undefined
    ? ''
    : `${first.by} deleted the lock of ${first.owner}${more.length > 0 ? `, and ${more.length} more` : ''}`;

const countCodes = (answers: readonly Answer[]): Record<string, number> =>
  Object.fromEntries([...groupBy(answers, ({ code }) => code)].map(([code, all]) => [code, all.length]));

function outage({ history }: Evidence, [first]: readonly FiredFault[]): number | null {
  const fault = history.find((line) => line.type === 'fault' && line.request === first?.request);
  if (fault === undefined) return null;
  const next = history.find(
    (line) => line.type === 'step' && line.t > fault.t && line.request !== first?.request && acquired(line),
  );
  return next === undefined ? null : Math.round((next.t - fault.t) / 1000);
}

import type { Contradiction } from '../chain';
import { groupBy } from '../group-by';
import type { HistoryLine } from '#lab/step';
import { chainOf } from './chain-of';
import type { Expectation, ViolationKind } from '#lab/strategy';
import { runsStrategies, type Answer, type Evidence, type LockLeft } from './evidence';
import {
  acquired,
  heirOf,
  judgeHolders,
  type ForeignRelease,
  type ForeignRenewal,
  type Overlap,
} from './holders';
import { prove, type FiredFault } from './proof';
import { findCircles, type Circle } from './circles';
import { judgeStock, type Duplicate, type StockFindings } from './stock';
import { unfinished } from './unfinished';

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
  readonly foreignRenewals: readonly ForeignRenewal[];
  /** Locks left behind that never end. */
  readonly stuckLocks: readonly LockLeft[];
  /** Requests that waited for one another's locks in Redis. */
  readonly deadLocks: readonly Circle[];
  /** Movements without an order. */
  readonly orphans: readonly string[];
  /** Orders without a movement. */
  readonly phantoms: readonly string[];
  readonly undecided: number;
  /** Answers by code. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: readonly FiredFault[];
  /** Milliseconds from a fault to the next time that somebody got the lock; null when nobody did. */
  readonly outageMs: number | null;
  /** Why the sales cannot have happened one after the other; null when they form one chain. */
  readonly chain: Contradiction | null;
  readonly violations: readonly ViolationKind[];
  readonly verdict: VerdictWord;
  /** Why the verdict is what it is: one sentence each. */
  readonly because: readonly string[];
  readonly expected: Expectation;
  readonly asExpected: boolean;
  /** Every fault that was asked for fired, and somebody else saw it. */
  readonly faultsProved: boolean;
}

/** Judges a run against what the catalogue expects of its strategy in its circumstance. */
export function judgeLoad(evidence: Evidence, expected: Expectation): LoadVerdict {
  const stock = judgeStock(evidence);
  const holders = judgeHolders(withoutForeignLocks(evidence));
  const deadLocks = findCircles(evidence.history);
  const proof = prove(evidence, holders.tenures);
  const running = unfinished(evidence.history);
  // what is still going on can explain a lock, a missing order, or rows that do not add up
  const atRest = running.length === 0 && evidence.moving !== true;
  const stuckLocks = evidence.locks.filter(({ key, ttlMs }) => ttlMs === null || holders.immortal.has(key));
  const credits = evidence.movements.some(({ delta }) => delta > 0);
  const leaked = credits ? 'are there that nobody has brought' : 'are gone that nobody has bought';
  const gone = stock.leaked === 0 ? [] : [`${stock.leaked} units ${leaked}`];
  const refused = stock.refusedWithStock.length;
  const found: [ViolationKind, number, string][] = [
    ['oversold', stock.oversold, `${stock.sold} units sold of ${evidence.initial}`],
    [
      'lost-update',
      stock.lostUpdates,
      `${stock.lostUpdates} ${credits ? 'units that were entered are missing from the balance' : 'sold units are missing from the stock'}${firstDuplicate(stock.duplicates, credits)}`,
    ],
    ['overlap', holders.overlaps.length, `${holders.overlaps.length} times a lock had two holders at work`],
    ['foreign-release', holders.foreignReleases.length, foreign('deleted', holders.foreignReleases)],
    ['foreign-renewal', holders.foreignRenewals.length, foreign('prolonged', holders.foreignRenewals)],
    [
      'stuck',
      stuckLocks.length,
      `${stuckLocks.map(({ key }) => key).join(', ')} never ends, and nobody is left to release it`,
    ],
    [
      'undersold',
      refused + gone.length,
      [...(refused > 0 ? [`${refused} buyers were told "sold out" with stock left`] : []), ...gone].join(
        '; ',
      ),
    ],
    ['orphan', stock.orphans.length + stock.phantoms.length, unpaired(stock)],
    [
      'unavailable',
      evidence.down !== undefined && evidence.movements.length === 0 && evidence.initial > 0 ? 1 : 0,
      `nobody could buy while ${evidence.down ?? ''} was down`,
    ],
    ['dead-lock', deadLocks.length, circleInWords(deadLocks)],
  ];
  const violated = found.filter(([kind, count]) => count > 0 && (atRest || SURE_WHILE_RUNNING.has(kind)));
  const violations = violated.map(([kind]) => kind);
  const contradiction = atRest ? chainOf(evidence) : undefined;
  const reasons = [
    ...proof.missing,
    ...(atRest ? [] : [stillRunning(running)]),
    ...(evidence.movements.length > 0 ? [] : [`0 sold of ${evidence.initial}`]),
    ...undocumented(evidence.answers),
    ...refusedByServers(evidence, stock.sold),
    ...reused(evidence),
    ...unmissed(evidence),
    ...(holders.undecided > 0
      ? [`${holders.undecided} commands on locks have no place in the server's order`]
      : []),
  ];
  // what nothing else explains, the chain of the sales still shows
  const missing = reasons.length > 0 || contradiction === undefined ? reasons : [contradiction.sentence];
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
    foreignRenewals: holders.foreignRenewals,
    stuckLocks,
    deadLocks,
    orphans: stock.orphans,
    phantoms: stock.phantoms,
    undecided: holders.undecided,
    outcomes: countCodes(evidence.answers),
    faults: proof.fired,
    outageMs: outage(evidence, proof.fired),
    chain: contradiction ?? null,
    violations,
    verdict,
    because: {
      safe: [
        credits
          ? 'each entry is in the balance, and requests did meet'
          : 'each unit was sold once, and buyers did meet',
      ],
      violated: [...violated.map(([, , sentence]) => sentence), ...proof.missing],
      unknown: missing,
    }[verdict],
    expected,
    asExpected: matches(violations, expected) && proof.unproved.length === 0 && verdict !== 'unknown',
    faultsProved: proof.unproved.length === 0,
  };
}

export const matches = (violations: readonly ViolationKind[], { must, may }: Expectation): boolean =>
  must.every((kind) => violations.includes(kind)) &&
  violations.every((kind) => must.includes(kind) || may.includes(kind));

/** Kinds that nothing which is still to happen can take back. */
const SURE_WHILE_RUNNING: ReadonlySet<ViolationKind> = new Set([
  'oversold',
  'overlap',
  'foreign-release',
  'foreign-renewal',
  'dead-lock',
]);

/** The history without steps on locks of other balances, where requests are carts: who holds those is another story. */
export function withoutForeignLocks({ sku, history }: Evidence): readonly HistoryLine[] {
  const balances = history.flatMap((line) =>
    line.type === 'request' ? (line.cart ?? []).map(({ balance }) => balance) : [],
  );
  const others = new Set(balances.filter((balance) => balance !== sku));
  if (others.size === 0) return history;
  const isForeign = (key: string): boolean => others.has(/^lock:\{(.*?)\}/.exec(key)?.[1] ?? sku);
  return history.filter((line) => line.type !== 'step' || line.key === undefined || !isForeign(line.key));
}

const circleInWords = ([first, ...more]: readonly Circle[]): string =>
  first === undefined
    ? ''
    : `${more.length + 1} times requests waited for one another in a circle, e.g. ` +
      first.waiters.map(({ request, waitsFor }) => `${request} for ${waitsFor}`).join(' and ');

const stillRunning = ([first, ...more]: readonly string[]): string =>
  first === undefined
    ? 'requests came while the rows were read'
    : `${more.length + 1} requests have not ended, e.g. ${first}`;

const unpaired = ({ orphans, phantoms }: StockFindings): string =>
  [
    ...(orphans.length > 0 ? [`${orphans.length} movements have no order, e.g. that of ${orphans[0]}`] : []),
    ...(phantoms.length > 0
      ? [`${phantoms.length} orders have no movement, e.g. that of ${phantoms[0]}`]
      : []),
  ].join('; ');

/** Answers that no strategy gives: the app or what stands before it failed, and the run shows nothing about the lock. */
function undocumented(answers: readonly Answer[]): string[] {
  const odd = answers.filter(
    ({ code }) => code === 'INTERNAL' || code === 'NO_ANSWER' || code.startsWith('HTTP '),
  );
  return odd.length === 0 ? [] : [`${odd.length} answers were none of the shop's own, e.g. ${odd[0]?.code}`];
}

/**
 * Buyers who met a server that was away, with enough left for them: what they would have done to the stock nobody knows.
 * Not those whom a fault has hit, nor where a server was taken down on purpose.
 */
function refusedByServers({ answers, history, initial, down }: Evidence, sold: number): string[] {
  if (down !== undefined) return [];
  const hit = new Set(history.flatMap((line) => (line.type === 'fault' ? [line.request] : [])));
  const refused = answers.filter(
    ({ code, request, quantity }) =>
      code === 'DEPENDENCY.DOWN' && initial - sold >= quantity && !hit.has(request),
  );
  return refused.length === 0
    ? []
    : [`${refused.length} buyers were told DEPENDENCY.DOWN with stock left, and no server was taken down`];
}

/** A server that nobody asked was not missed. */
function unmissed({ down, history }: Evidence): string[] {
  const missed = history.some(
    (line) => line.type === 'step' && line.server === down && line.error !== undefined,
  );
  return down === undefined || missed ? [] : [`${down} was down, and nobody asked it for anything`];
}

/** Who held what is told by the request id: two requests that share one cannot be told apart. */
function reused({ history }: Evidence): string[] {
  const requests = history.flatMap((line) =>
    line.type === 'request' && runsStrategies(line) ? [line.request] : [],
  );
  const twice = requests.length - new Set(requests).size;
  return twice === 0 ? [] : [`${twice} requests came with the id of another one`];
}

function firstDuplicate([first]: readonly Duplicate[], credits: boolean): string {
  if (first === undefined) return '';
  const sellers = first.sales.slice(0, 2).map(({ request, replica }) => `${request} on ${replica}`);
  return credits
    ? `; ${first.value} was the new balance of ${sellers.join(' and of ')}`
    : `; "${first.value} left" was sold by ${sellers.join(' and by ')}`;
}

const foreign = (did: string, [first, ...more]: readonly (ForeignRelease | ForeignRenewal)[]): string =>
  first === undefined
    ? ''
    : `${first.by} ${did} the lock of ${first.owner}${more.length > 0 ? `, and ${more.length} more` : ''}`;

export const countCodes = (answers: readonly Answer[]): Record<string, number> =>
  Object.fromEntries([...groupBy(answers, ({ code }) => code)].map(([code, all]) => [code, all.length]));

function outage({ history }: Evidence, [first]: readonly FiredFault[]): number | null {
  const fault = history.find((line) => line.type === 'fault' && line.request === first?.request);
  if (fault === undefined) return null;
  const next = history.find(
    (line) =>
      line.type === 'step' &&
      line.t > fault.t &&
      line.request !== first?.request &&
      (acquired(line) || heirOf(line) !== undefined),
  );
  return next === undefined ? null : Math.round((next.t - fault.t) / 1000);
}

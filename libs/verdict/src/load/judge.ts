import type { Contradiction } from '../chain';
import { groupBy } from '../group-by';
import { count, type HistoryLine } from '#lab/step';
import { chainOf } from './chain-of';
import type { Expectation, ViolationKind } from '#lab/strategy';
import { runsStrategies, type ClientAnswer, type Evidence, type RemainingLock } from './evidence';
import {
  acquired,
  nextHolderToken,
  judgeHolders,
  type HolderFindings,
  type ForeignRelease,
  type ForeignRenewal,
  type Overlap,
} from './holders';
import { prove, type FiredFault } from './proof';
import { findDeadlockCycles, type DeadlockCycle } from './deadlock-cycles';
import { judgeStock, type Duplicate, type StockFindings } from './stock';
import { mechanismOfLoad } from './mechanism';
import { protectedBy, refusalsOf, type Refusal } from './refusals';
import { outpacedHolders, outpacedWords, withOutpaced } from './outpaced';
import { unfinished } from './unfinished';
import { MARKS, worstHarm, type Mark } from '../mark';

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
  readonly stuckLocks: readonly RemainingLock[];
  /** Requests that waited for one another's locks in Redis. */
  readonly deadLocks: readonly DeadlockCycle[];
  /** Movements without an order. */
  readonly orphans: readonly string[];
  /** Orders without a movement. */
  readonly phantoms: readonly string[];
  readonly undecided: number;
  /** Requests that have begun and not ended, in a process that lives. */
  readonly unfinished: readonly string[];
  /** Answers by code. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: readonly FiredFault[];
  /** Milliseconds from a fault to the next time that somebody got the lock; null when nobody did. */
  readonly outageMs: number | null;
  /** Why the sales cannot have happened one after the other; null when they form one chain. */
  readonly chain: Contradiction | null;
  readonly violations: readonly ViolationKind[];
  /** The worst harm of the violations; `safe` or `unknown` where there is none. */
  readonly mark: Mark;
  /** Stale writers that were refused, and by which statement. */
  readonly refusals: readonly Refusal[];
  /** How two sales of one unit came about; null: there are none, or the history does not show it. */
  readonly mechanism: string | null;
  /** What kept requests apart, each with the number of requests. */
  readonly protectedBy: readonly string[];
  /**
   * `safe`: the data is right and no lock is left; a lock that was broken is safe only when what came of it was refused.
   */
  readonly verdict: VerdictWord;
  /** The verdict in one line. */
  readonly headline: string;
  /** Why the verdict is what it is: one sentence each. */
  readonly because: readonly string[];
  readonly expected: Expectation;
  readonly asExpected: boolean;
  /** Every fault that was asked for fired, and somebody else saw it. */
  readonly faultsProved: boolean;
}

/** Judges a run against what the catalogue expects of its strategy in its circumstance. */
export function judgeLoad(evidence: Evidence, documented: Expectation): LoadVerdict {
  const stock = judgeStock(evidence);
  const holders = judgeHolders(withoutForeignLocks(evidence));
  const outpaced = outpacedHolders(evidence, holders.holdIntervals);
  const expected = withOutpaced(documented, evidence.strategy, outpaced);
  const deadLocks = findDeadlockCycles(evidence.history);
  const proof = prove(evidence, holders.holdIntervals);
  const running = unfinished(evidence.history);
  // what is still going on can explain a lock, a missing order, or rows that do not add up
  const atRest = running.length === 0 && evidence.moving !== true;
  const stuckLocks = evidence.locks.filter(
    ({ key, ttlMs }) => ttlMs === null || holders.renewedAfterEnd.has(key),
  );
  const credits = evidence.movements.some(({ delta }) => delta > 0);
  const leaked = credits ? 'in the balance without an entry' : 'gone from the stock without a sale';
  const gone = stock.leaked === 0 ? [] : [`${count(stock.leaked, 'unit')} ${leaked}`];
  const refused = stock.refusedWithStock.length;
  const found: [ViolationKind, number, string][] = [
    ['oversold', stock.oversold, `${count(stock.oversold, 'unit')} oversold`],
    [
      'lost-update',
      stock.lostUpdates,
      `${count(stock.lostUpdates, 'update')} lost: ${credits ? 'entered, and not in the balance' : 'sold, and still in the stock'}${firstDuplicate(stock.duplicates, credits)}`,
    ],
    [
      'overlap',
      holders.overlaps.length,
      `a lock had two holders at work ${count(holders.overlaps.length, 'time')}`,
    ],
    ['foreign-release', holders.foreignReleases.length, foreign('deleted', holders.foreignReleases)],
    ['foreign-renewal', holders.foreignRenewals.length, foreign('renewed', holders.foreignRenewals)],
    [
      'stuck',
      stuckLocks.length,
      `${stuckLocks.map(({ key }) => key).join(', ')} never ends, and no request is left that would release it`,
    ],
    [
      'undersold',
      refused + gone.length,
      [
        ...(refused > 0 ? [`${count(refused, 'buyer')} refused as sold out with stock left`] : []),
        ...gone,
      ].join('; '),
    ],
    ['orphan', stock.orphans.length + stock.phantoms.length, unpaired(stock)],
    [
      'unavailable',
      evidence.down !== undefined && evidence.movements.length === 0 && evidence.initial > 0 ? 1 : 0,
      `no order succeeded while ${evidence.down ?? ''} was down`,
    ],
    ['dead-lock', deadLocks.length, circleInWords(deadLocks)],
  ];
  const violated = found.filter(([kind, times]) => times > 0 && (atRest || SURE_WHILE_RUNNING.has(kind)));
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
      ? [`${count(holders.undecided, 'command')} on locks without a place in the server's order`]
      : []),
  ];
  // what nothing else explains, the chain of the sales still shows
  const missing = reasons.length > 0 || contradiction === undefined ? reasons : [contradiction.sentence];
  const harm = worstHarm(violations);
  const refusals = refusalsOf(evidence);
  const isProtected = harm === 'lock-broken' && wasRefused(holders, refusals);
  const verdict = harm !== undefined && !isProtected ? 'violated' : missing.length > 0 ? 'unknown' : 'safe';
  const mark = harm ?? (verdict === 'unknown' ? 'unknown' : 'safe');
  const sentences = violated.map(([, , sentence]) => sentence);
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
    unfinished: running,
    outcomes: countCodes(evidence.answers),
    faults: proof.fired,
    outageMs: outage(evidence, proof.fired),
    chain: contradiction ?? null,
    violations,
    mark,
    refusals,
    mechanism: mark === 'data-wrong' ? (mechanismOfLoad(evidence, holders) ?? null) : null,
    protectedBy: protectedBy(evidence),
    verdict,
    headline: headlineOf(verdict, mark, {
      sold: soldWords(evidence, stock.sold),
      found: isProtected
        ? [...sentences, refusedWords(refusals)]
        : [...sentences, ...outpacedWords(outpaced), ...(violations.length > 0 ? proof.missing : [])],
      missing,
    }),
    because: {
      safe: isProtected
        ? [...sentences, refusedWords(refusals)]
        : [
            credits
              ? 'each entry is in the balance, and requests did meet'
              : 'each unit was sold once, and buyers did meet',
          ],
      violated: [...sentences, ...outpacedWords(outpaced), ...proof.missing],
      unknown: missing,
    }[verdict],
    expected,
    asExpected: matches(violations, expected) && proof.unproved.length === 0 && verdict !== 'unknown',
    faultsProved: proof.unproved.length === 0,
  };
}

/** Each holder that was overtaken was refused, and no lock was released or renewed by another request. */
const wasRefused = (
  { overlaps, foreignReleases, foreignRenewals }: HolderFindings,
  refusals: readonly Refusal[],
): boolean => {
  const refused = new Set(refusals.map(({ request }) => request));
  return (
    foreignReleases.length + foreignRenewals.length === 0 && overlaps.every(({ first }) => refused.has(first))
  );
};

function refusedWords(refusals: readonly Refusal[]): string {
  const statement = refusals.find((refusal) => refusal.statement !== null)?.statement;
  const stale =
    refusals.length === 1 ? 'the older one was refused' : `the older ones were refused (${refusals.length})`;
  return statement === undefined || statement === null
    ? `${stale}: it knew that its lock was lost`
    : `${stale} by the row: ${statement} changed no row`;
}

const soldWords = ({ initial }: Evidence, sold: number): string =>
  sold < 0 ? `${(-sold).toLocaleString('en')} entered` : `${sold} of ${initial} sold`;

/** `SAFE: 10 of 10 sold; two holders met, the older one was refused …`. */
function headlineOf(
  verdict: VerdictWord,
  mark: Mark,
  { sold, found, missing }: { sold: string; found: readonly string[]; missing: readonly string[] },
): string {
  if (verdict === 'unknown') return `UNKNOWN: ${missing.join('; ')}`;
  const word = verdict === 'safe' ? 'SAFE' : MARKS[mark].words.toUpperCase();
  return `${word}: ${[sold, ...found].join('; ')}`;
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

const circleInWords = ([first, ...more]: readonly DeadlockCycle[]): string =>
  first === undefined
    ? ''
    : `${count(more.length + 1, 'dead-lock')}: requests waited for each other, e.g. ` +
      first.waiters.map(({ request, waitsFor }) => `${request} for ${waitsFor}`).join(' and ');

const stillRunning = ([first, ...more]: readonly string[]): string =>
  first === undefined
    ? 'requests came while the rows were read'
    : `${count(more.length + 1, 'request')} not ended, e.g. ${first}`;

const unpaired = ({ orphans, phantoms }: StockFindings): string =>
  [
    ...(orphans.length > 0
      ? [`${count(orphans.length, 'movement')} without an order, e.g. that of ${orphans[0]}`]
      : []),
    ...(phantoms.length > 0
      ? [`${count(phantoms.length, 'order')} without a movement, e.g. that of ${phantoms[0]}`]
      : []),
  ].join('; ');

/** Answers that no strategy gives: the app or what stands before it failed, and the run shows nothing about the lock. */
function undocumented(answers: readonly ClientAnswer[]): string[] {
  const odd = answers.filter(
    ({ code }) => code === 'INTERNAL' || code === 'NO_ANSWER' || code.startsWith('HTTP '),
  );
  return odd.length === 0
    ? []
    : [`${count(odd.length, 'answer')} that the shop does not document, e.g. ${odd[0]?.code}`];
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
    : [
        `${count(refused.length, 'buyer')} answered DEPENDENCY.DOWN with stock left, and no server was taken down`,
      ];
}

/** A server that nobody asked was not missed. */
function unmissed({ down, history }: Evidence): string[] {
  const missed = history.some(
    (line) => line.type === 'step' && line.server === down && line.error !== undefined,
  );
  return down === undefined || missed ? [] : [`${down} was down, and no request needed it`];
}

/** Who held what is told by the request id: two requests that share one cannot be told apart. */
function reused({ history }: Evidence): string[] {
  const requests = history.flatMap((line) =>
    line.type === 'request' && runsStrategies(line) ? [line.request] : [],
  );
  const twice = requests.length - new Set(requests).size;
  return twice === 0 ? [] : [`${count(twice, 'request')} with the id of another one`];
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

export const countCodes = (answers: readonly ClientAnswer[]): Record<string, number> =>
  Object.fromEntries([...groupBy(answers, ({ code }) => code)].map(([code, all]) => [code, all.length]));

function outage({ history }: Evidence, [first]: readonly FiredFault[]): number | null {
  const fault = history.find((line) => line.type === 'fault' && line.request === first?.request);
  if (fault === undefined) return null;
  const next = history.find(
    (line) =>
      line.type === 'step' &&
      line.t > fault.t &&
      line.request !== first?.request &&
      (acquired(line) || nextHolderToken(line) !== undefined),
  );
  return next === undefined ? null : Math.round((next.t - fault.t) / 1000);
}

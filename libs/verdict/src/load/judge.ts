import type { Contradiction } from '../chain';
import { groupBy } from '../group-by';
import { judgeAnswers } from './answers';
import type { HistoryLine } from '#lab/step';
import { chainOf } from './chain-of';
import type { Expectation, ViolationKind } from '#lab/strategy';
import {
  isUndocumented,
  runsStrategies,
  type ClientAnswer,
  type Evidence,
  type RemainingLock,
} from './evidence';
import {
  acquired,
  judgeHolders,
  type HolderFindings,
  type ForeignRelease,
  type ForeignRenewal,
  type Overlap,
} from './holders';
import { balanceWords, kindOf, type BalanceKind } from './balance-words';
import { prove, type FiredFault } from './proof';
import { findDeadlockCycles, type DeadlockCycle } from './deadlock-cycles';
import { judgeStock, type Duplicate, type StockFindings } from './stock';
import { mechanismOfLoad, mechanismText, type LoadMechanism } from './mechanism';
import { protectionsOf, protectionText, refusalsOf, type Protection, type Refusal } from './refusals';
import { outpacedHolders, withOutpaced } from './outpaced';
import { reasonText, type Reason } from './reason';
import { unfinished } from './unfinished';
import { MARKS, worstHarm, type Mark } from '../mark';

export type VerdictWord = 'safe' | 'violated' | 'unknown';

/** The verdict on a load run. All numbers come from rows and history, never from a lock's own report. */
export interface LoadVerdict {
  readonly strategy: string;
  /** The kind of balance. For an account, `sold` is debits minus credits, and `finalStock` is its balance. */
  readonly kind: BalanceKind;
  readonly initial: number;
  readonly sold: number;
  readonly finalStock: number;
  readonly oversold: number;
  readonly lostUpdates: number;
  readonly duplicates: readonly Duplicate[];
  readonly overlaps: readonly Overlap[];
  readonly foreignReleases: readonly ForeignRelease[];
  readonly foreignRenewals: readonly ForeignRenewal[];
  /** Remaining locks that never end. */
  readonly stuckLocks: readonly RemainingLock[];
  /** Cycles of requests that waited for each other's locks in Redis. */
  readonly deadLocks: readonly DeadlockCycle[];
  /** Movements without an order. */
  readonly orphans: readonly string[];
  /** Orders without a movement. */
  readonly phantoms: readonly string[];
  readonly undecided: number;
  /** Requests that have started and not ended, in a live process. */
  readonly unfinished: readonly string[];
  /** Answers by code. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: readonly FiredFault[];
  /** Milliseconds from the first fault to the next acquire by another request; null: there was none. */
  readonly outageMs: number | null;
  /** Why no sequential order of the sales exists; null: they form one chain. */
  readonly chain: Contradiction | null;
  readonly violations: readonly ViolationKind[];
  /** The worst harm of the violations; `safe` or `unknown` without violations. */
  readonly mark: Mark;
  /** Refused stale writers, with the refusing statements. */
  readonly refusals: readonly Refusal[];
  /** How one unit was sold twice; null: no unit was, or the history does not show how. */
  readonly mechanism: string | null;
  /** The same as data. */
  readonly collision: LoadMechanism | null;
  /** Statements and waits that serialized requests, each with the number of requests. */
  readonly protectedBy: readonly string[];
  /** The same as data. */
  readonly protections: readonly Protection[];
  /**
   * `safe`: the data is right and no lock remains. A broken lock is safe only if every stale write was refused.
   */
  readonly verdict: VerdictWord;
  /** The verdict in one line. */
  readonly headline: string;
  /** The reasons for the verdict, one sentence each. */
  readonly because: readonly string[];
  /** The same reasons with stable codes and data. */
  readonly reasons: readonly Reason[];
  readonly expected: Expectation;
  readonly asExpected: boolean;
  /** Every requested fault fired and was observed by another process. */
  readonly faultsProved: boolean;
}

/** Judges a run against the expectation of the catalogue for its strategy and circumstance. */
export function judgeLoad(evidence: Evidence, documented: Expectation): LoadVerdict {
  const stock = judgeStock(evidence);
  const holders = judgeHolders(withoutForeignLocks(evidence));
  const outpaced = outpacedHolders(evidence, holders.holdIntervals);
  const expected = withOutpaced(documented, evidence.strategy, outpaced);
  const deadLocks = findDeadlockCycles(evidence.history);
  const proof = prove(evidence, holders.holdIntervals);
  const running = unfinished(evidence.history);
  // an active request can explain a remaining lock, a missing order, or inconsistent rows
  const atRest = running.length === 0 && evidence.moving !== true;
  const stuckLocks = evidence.locks.filter(
    ({ key, ttlMs }) => ttlMs === null || holders.renewedAfterEnd.has(key),
  );
  const credits = evidence.movements.some(({ delta }) => delta > 0);
  const kind = kindOf(evidence);
  const seen = violationsIn(evidence, stock, holders, { stuckLocks, deadLocks, credits });
  const found = seen.filter(
    ([kind, reasons]) => reasons.length > 0 && (atRest || SURE_WHILE_RUNNING.has(kind)),
  );
  const violations = found.map(([kind]) => kind);
  const shown = found.flatMap(([, reasons]) => reasons);
  const contradiction = atRest ? chainOf(evidence) : undefined;
  const dropped = historyDropped(evidence);
  const unproved: readonly Reason[] = [
    ...dropped,
    ...proof.missing,
    ...when(!atRest, { code: 'not-at-rest', running }),
    ...when(evidence.movements.length === 0, { code: 'nothing-sold', initial: evidence.initial }),
    ...undocumented(evidence.answers),
    ...refusedByServers(evidence, stock.sold),
    ...reused(evidence),
    ...notNeeded(evidence),
    ...when(holders.undecided > 0, { code: 'commands-without-order', commands: holders.undecided }),
  ];
  // a broken chain without another explanation still shows that a check is incomplete
  const missing: readonly Reason[] =
    unproved.length > 0 || contradiction === undefined ? unproved : [{ code: 'broken-chain', contradiction }];
  const harm = worstHarm(violations);
  const collision = harm === 'data-wrong' ? mechanismOfLoad(evidence, holders) : undefined;
  const refusals = refusalsOf(evidence);
  const protections = protectionsOf(evidence);
  // without a sale the refusals protected nothing: what is left is a lock that was broken
  const isProtected =
    harm === 'lock-broken' && wasRefused(holders, refusals) && evidence.movements.length > 0;
  const verdict = harm !== undefined && !isProtected ? 'violated' : missing.length > 0 ? 'unknown' : 'safe';
  const mark = harm ?? (verdict === 'unknown' ? 'unknown' : 'safe');
  const stale: Reason = { code: 'refused-stale', refusals };
  const excuse: readonly Reason[] = when(outpaced.length > 0, { code: 'lease-outpaced', outpaced });
  const reasons: readonly Reason[] = {
    safe: isProtected ? [...shown, stale] : [{ code: 'exact', credits } as const],
    violated: [...shown, ...excuse, ...dropped, ...proof.missing],
    unknown: missing,
  }[verdict];
  return {
    strategy: evidence.strategy,
    kind,
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
    mechanism: collision === undefined ? null : mechanismText(collision),
    collision: collision ?? null,
    protectedBy: protections.map(protectionText),
    protections,
    verdict,
    headline: headlineOf(verdict, mark, {
      kind,
      sold: soldWords(kind, evidence.initial, stock.sold),
      found: isProtected
        ? [...shown, stale]
        : [...shown, ...excuse, ...(violations.length > 0 ? [...dropped, ...proof.missing] : [])],
      missing,
    }),
    reasons,
    because: reasons.map((reason) => reasonText(reason, kind)),
    expected,
    asExpected: matches(violations, expected) && proof.unproved.length === 0 && verdict !== 'unknown',
    faultsProved: proof.unproved.length === 0,
  };
}

/** Each kind of violation with its reasons; without reasons it did not occur. */
function violationsIn(
  evidence: Evidence,
  stock: StockFindings,
  { overlaps, foreignReleases, foreignRenewals }: HolderFindings,
  more: {
    readonly stuckLocks: readonly RemainingLock[];
    readonly deadLocks: readonly DeadlockCycle[];
    readonly credits: boolean;
  },
): readonly (readonly [ViolationKind, readonly Reason[]])[] {
  const { stuckLocks, deadLocks, credits } = more;
  const { oversold, lostUpdates, duplicates, refusedWithStock, leaked, orphans, phantoms } = stock;
  const { unrecorded, soldButRefused, keysWithOrders, otherUnits } = judgeAnswers(evidence);
  return [
    ['oversold', when(oversold > 0, { code: 'oversold', units: oversold })],
    [
      'lost-update',
      when(lostUpdates > 0, {
        code: 'lost-update',
        updates: lostUpdates,
        credits,
        duplicate: duplicates[0] ?? null,
      }),
    ],
    ['overlap', when(overlaps.length > 0, { code: 'overlap', times: overlaps.length })],
    [
      'foreign-release',
      when(foreignReleases.length > 0, { code: 'foreign-release', releases: foreignReleases }),
    ],
    [
      'foreign-renewal',
      when(foreignRenewals.length > 0, { code: 'foreign-renewal', renewals: foreignRenewals }),
    ],
    ['stuck', when(stuckLocks.length > 0, { code: 'stuck', keys: stuckLocks.map(({ key }) => key) })],
    [
      'undersold',
      [
        ...when(refusedWithStock.length > 0, {
          code: 'refused-with-stock',
          buyers: refusedWithStock.length,
        }),
        ...when(leaked !== 0, { code: 'leaked', units: leaked, credits }),
      ],
    ],
    [
      'lost-acknowledged',
      when(unrecorded.length > 0, { code: 'applied-without-rows', requests: unrecorded }),
    ],
    [
      'orphan',
      [
        ...when(orphans.length > 0, { code: 'movement-without-order', requests: orphans }),
        ...when(phantoms.length > 0, { code: 'order-without-movement', requests: phantoms }),
        ...when(soldButRefused.length > 0, { code: 'sold-but-refused', requests: soldButRefused }),
        ...when(keysWithOrders.length > 0, { code: 'key-with-orders', keys: keysWithOrders }),
        ...when(otherUnits.length > 0, { code: 'other-units', requests: otherUnits }),
      ],
    ],
    ['unavailable', unavailable(evidence)],
    ['dead-lock', when(deadLocks.length > 0, { code: 'dead-lock', cycles: deadLocks })],
  ];
}

/** Every overtaken holder was refused, and no request released or renewed the lock of another one. */
const wasRefused = (
  { overlaps, foreignReleases, foreignRenewals }: HolderFindings,
  refusals: readonly Refusal[],
): boolean => {
  const refused = new Set(refusals.map(({ request }) => request));
  return (
    foreignReleases.length + foreignRenewals.length === 0 && overlaps.every(({ first }) => refused.has(first))
  );
};

function soldWords(kind: BalanceKind, initial: number, sold: number): string {
  const { moved } = balanceWords(kind, sold < 0);
  return sold < 0 ? `${(-sold).toLocaleString('en')} ${moved}` : `${sold} of ${initial} ${moved}`;
}

/** `SAFE: 10 of 10 sold; a lock had two holders at work 1 time; 1 stale request was refused …`. */
function headlineOf(
  verdict: VerdictWord,
  mark: Mark,
  about: {
    readonly kind: BalanceKind;
    readonly sold: string;
    readonly found: readonly Reason[];
    readonly missing: readonly Reason[];
  },
): string {
  const { kind, sold, found, missing } = about;
  const text = (reason: Reason): string => reasonText(reason, kind);
  if (verdict === 'unknown') return `UNKNOWN: ${missing.map(text).join('; ')}`;
  const word = verdict === 'safe' ? 'SAFE' : MARKS[mark].words.toUpperCase();
  return `${word}: ${[sold, ...found.map(text)].join('; ')}`;
}

export const matches = (violations: readonly ViolationKind[], { must, may }: Expectation): boolean =>
  must.every((kind) => violations.includes(kind)) &&
  violations.every((kind) => must.includes(kind) || may.includes(kind));

/** Kinds that are final while requests are active: no later step can undo them. */
const SURE_WHILE_RUNNING: ReadonlySet<ViolationKind> = new Set([
  'oversold',
  'overlap',
  'foreign-release',
  'foreign-renewal',
  'dead-lock',
]);

/** The history without steps on the locks of other balances, which requests for carts also take. */
export function withoutForeignLocks({ balance: own, history }: Evidence): readonly HistoryLine[] {
  const balances = history.flatMap((line) =>
    line.type === 'request' ? (line.cart ?? []).map(({ balance }) => balance) : [],
  );
  const others = new Set(balances.filter((balance) => balance !== own));
  if (others.size === 0) return history;
  const isForeign = (key: string): boolean => others.has(/^lock:\{(.*?)\}/.exec(key)?.[1] ?? own);
  return history.filter((line) => line.type !== 'step' || line.key === undefined || !isForeign(line.key));
}

/** The reason as a list, empty if it does not apply. */
const when = (applies: boolean, reason: Reason): readonly Reason[] => (applies ? [reason] : []);

const unavailable = ({ down, movements, initial }: Evidence): readonly Reason[] =>
  down !== undefined && movements.length === 0 && initial > 0 ? [{ code: 'unavailable', server: down }] : [];

/** Answers without a documented code: the app or its proxy failed, so the run shows nothing about the lock. */
function undocumented(answers: readonly ClientAnswer[]): readonly Reason[] {
  const odd = answers.filter(({ code }) => code === 'NO_ANSWER' || isUndocumented(code));
  return when(odd.length > 0, {
    code: 'undocumented-answers',
    answers: odd.length,
    example: odd[0]?.code ?? '',
  });
}

/**
 * Buyers refused because a server was unreachable, with enough stock left: their effect on the stock is unknown. Requests
 * hit by a fault do not count, nor do runs with a server down on purpose.
 */
function refusedByServers({ answers, history, initial, down }: Evidence, sold: number): readonly Reason[] {
  if (down !== undefined) return [];
  const hit = new Set(history.flatMap((line) => (line.type === 'fault' ? [line.request] : [])));
  const refused = answers.filter(
    ({ code, request, quantity }) =>
      code === 'DEPENDENCY.DOWN' && initial - sold >= quantity && !hit.has(request),
  );
  return when(refused.length > 0, { code: 'refused-by-servers', buyers: refused.length });
}

/** A server was down, but no request used it. */
function notNeeded({ down, history }: Evidence): readonly Reason[] {
  if (down === undefined) return [];
  const wasUsed = history.some(
    (line) => line.type === 'step' && line.server === down && line.error !== undefined,
  );
  return when(!wasUsed, { code: 'server-not-needed', server: down });
}

/** The oldest lines of some replicas are missing. What the others show still happened, but more may have. */
function historyDropped({ history }: Evidence): readonly Reason[] {
  const rotated = history.filter((line) => line.type === 'rotated');
  const last = [...new Map(rotated.map((line) => [line.replica, line])).values()];
  const bytes = last.reduce((sum, { droppedBytes }) => sum + droppedBytes, 0);
  return when(last.length > 0, {
    code: 'history-dropped',
    replicas: last.map(({ replica }) => replica),
    bytes,
  });
}

/** The request id identifies the holder of a lock, so requests with equal ids are indistinguishable. */
function reused({ history }: Evidence): readonly Reason[] {
  const requests = history.flatMap((line) =>
    line.type === 'request' && runsStrategies(line) ? [line.request] : [],
  );
  const repeated = requests.length - new Set(requests).size;
  return when(repeated > 0, { code: 'reused-request-ids', requests: repeated });
}

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
      (acquired(line) || line.lock?.nextHolder !== undefined),
  );
  return next === undefined ? null : Math.round((next.t - fault.t) / 1000);
}

import { count, type HistoryLine } from '#lab/step';
import { MARKS, worstHarm } from '../mark';
import type { Expectation, ViolationKind } from '#lab/strategy';
import type { ClientAnswer, Evidence } from './evidence';
import { reasonText, type Reason } from './reason';
import { countCodes, judgeLoad, matches, type LoadVerdict } from './judge';

/** One balance of a run of carts. */
export interface BalanceVerdict extends LoadVerdict {
  readonly sku: string;
}

/** A reason, and the products that it applies to; none: it is about carts. */
export interface CartReason {
  readonly reason: Reason;
  readonly skus: readonly string[];
}

/** The verdict on a run of carts: the totals over all balances, and one verdict per balance. */
export interface CartsVerdict extends LoadVerdict {
  readonly balances: readonly BalanceVerdict[];
  /** Requests whose cart was sold in part. */
  readonly tornCarts: readonly string[];
  /** The reasons with their products; `because` has them as sentences. */
  readonly cartReasons: readonly CartReason[];
}

/** Judges each balance by its own rows, and all balances together for carts that were sold in part. */
export function judgeCarts(evidences: readonly Evidence[], expected: Expectation): CartsVerdict {
  const [first] = evidences;
  if (first === undefined) throw new Error('a run of carts needs at least one balance');
  const balances = evidences.map((evidence) => ({
    ...judgeLoad({ ...evidence, answers: answersAbout(evidences, evidence) }, expected),
    sku: evidence.balance,
  }));
  const torn = tornCarts(evidences);
  const violations: ViolationKind[] = [
    ...new Set(balances.flatMap((balance) => balance.violations)),
    ...(torn.length > 0 ? (['torn-cart'] as const) : []),
  ];
  const all = <T>(pick: (balance: LoadVerdict) => readonly T[]): T[] => balances.flatMap(pick);
  const sum = (pick: (balance: LoadVerdict) => number): number =>
    balances.reduce((total, balance) => total + pick(balance), 0);
  const verdict =
    balances.some((one) => one.verdict === 'violated') || torn.length > 0
      ? 'violated'
      : balances.some((one) => one.verdict === 'unknown')
        ? 'unknown'
        : 'safe';
  const tornReason: readonly Reason[] = torn.length > 0 ? [{ code: 'torn-cart', requests: torn }] : [];
  const deciding = balances.filter((balance) => verdict === 'safe' || balance.verdict === verdict);
  const cartReasons = [...tornReason.map((reason) => ({ reason, skus: [] })), ...perBalance(deciding)];
  const [one] = balances;
  const harm = worstHarm(violations);
  const faultsProved = balances.every((balance) => balance.faultsProved);
  return {
    strategy: first.strategy,
    kind: 'stock',
    balances,
    tornCarts: torn,
    initial: sum(({ initial }) => initial),
    finalStock: sum(({ finalStock }) => finalStock),
    sold: sum(({ sold }) => sold),
    oversold: sum(({ oversold }) => oversold),
    lostUpdates: sum(({ lostUpdates }) => lostUpdates),
    duplicates: all(({ duplicates }) => duplicates),
    overlaps: all(({ overlaps }) => overlaps),
    foreignReleases: all(({ foreignReleases }) => foreignReleases),
    foreignRenewals: all(({ foreignRenewals }) => foreignRenewals),
    stuckLocks: all(({ stuckLocks }) => stuckLocks),
    deadLocks: one?.deadLocks ?? [],
    orphans: all(({ orphans }) => orphans),
    phantoms: all(({ phantoms }) => phantoms),
    undecided: sum(({ undecided }) => undecided),
    unfinished: one?.unfinished ?? [],
    outcomes: countCodes(first.answers),
    faults: one?.faults ?? [],
    outageMs: one?.outageMs ?? null,
    chain: balances.find(({ chain }) => chain !== null)?.chain ?? null,
    violations,
    mark: harm ?? (verdict === 'unknown' ? 'unknown' : 'safe'),
    refusals: one?.refusals ?? [],
    mechanism: balances.find(({ mechanism }) => mechanism !== null)?.mechanism ?? null,
    collision: balances.find(({ collision }) => collision !== null)?.collision ?? null,
    protectedBy: one?.protectedBy ?? [],
    protections: one?.protections ?? [],
    verdict,
    headline: headlineOfCarts(balances, torn, violations, verdict),
    reasons: [...tornReason, ...deciding.flatMap((balance) => balance.reasons)],
    because: cartReasons.map(cartReasonText),
    cartReasons,
    expected,
    asExpected: matches(violations, expected) && faultsProved && verdict !== 'unknown',
    faultsProved,
  };
}

function headlineOfCarts(
  balances: readonly BalanceVerdict[],
  torn: readonly string[],
  violations: readonly ViolationKind[],
  verdict: LoadVerdict['verdict'],
): string {
  const harm = worstHarm(violations);
  const word = verdict === 'violated' && harm !== undefined ? MARKS[harm].words : verdict;
  return [
    `${word.toUpperCase()}: ${balances.map(({ sku, sold, initial }) => `${sku} ${sold} of ${initial} sold`).join(', ')}`,
    ...(torn.length > 0 ? [`${count(torn.length, 'cart')} sold in part`] : []),
    ...perBalance(balances.filter((balance) => verdict !== 'safe' && balance.verdict === verdict)).map(
      cartReasonText,
    ),
  ].join('; ');
}

/** Each distinct reason with the balances that it applies to. */
function perBalance(balances: readonly BalanceVerdict[]): CartReason[] {
  const found = new Map<string, CartReason>();
  for (const { reasons, sku } of balances)
    for (const reason of reasons) {
      const id = JSON.stringify(reason);
      found.set(id, { reason, skus: [...(found.get(id)?.skus ?? []), sku] });
    }
  return [...found.values()];
}

function cartReasonText({ reason, skus }: CartReason): string {
  const text = reasonText(reason, 'stock');
  return skus.length === 0 ? text : `${skus.join(' and ')}: ${text}`;
}

/**
 * The answers that apply to one balance. A cart refused as sold out is omitted when any of its products was short, unless it has
 * movements: then the answer is wrong.
 */
function answersAbout(evidences: readonly Evidence[], { balance: sku }: Evidence): readonly ClientAnswer[] {
  const left = new Map(
    evidences.map(({ balance: other, initial, movements }) => [
      other,
      initial + movements.reduce((sum, { delta }) => sum + delta, 0),
    ]),
  );
  const moved = new Set(evidences.flatMap(({ movements }) => movements.map(({ request }) => request)));
  const [first] = evidences;
  return (first?.answers ?? []).filter(({ request, code, cart, quantity }) => {
    if (cart?.includes(sku) === false) return false;
    if (code !== 'STOCK.SOLD_OUT' || moved.has(request)) return true;
    return (cart ?? [sku]).every((wanted) => (left.get(wanted) ?? 0) >= quantity);
  });
}

/** Requests with movements for only some of their products. */
function tornCarts(evidences: readonly Evidence[]): string[] {
  const sold = new Map(
    evidences.map(({ balance, movements }) => [balance, new Set(movements.map(({ request }) => request))]),
  );
  const carts = new Map(evidences.flatMap(({ history }) => history.flatMap(cartOf)));
  return [...carts].flatMap(([request, skus]) => {
    const bought = skus.filter((sku) => sold.get(sku)?.has(request) === true);
    return bought.length > 0 && bought.length < skus.length ? [request] : [];
  });
}

const cartOf = (line: HistoryLine): (readonly [string, readonly string[]])[] =>
  line.type === 'request' && line.cart !== undefined
    ? [[line.request, line.cart.map(({ balance }) => balance)]]
    : [];

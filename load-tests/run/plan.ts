import type { ServerName } from '#lab/stack';
import { lockCommandNamed, parseFaults } from '#lab/step';
import {
  cartStrategy,
  findStrategy,
  optionsSchema,
  SAFE,
  type Circumstance,
  type Expectation,
  type Options,
  type Strategy,
  type ViolationKind,
  underOptions,
} from '#lab/strategy';
import { arrivalsOf, type OpenLoop } from '#load-tests/arrivals';

/** Which requests of a run carry the fault. */
export type FaultOn =
  /** A single buyer before the load, so that it certainly gets the lock. The load starts when the fault has fired. */
  | { readonly kind: 'first' }
  /** The nth request of the load, counted from 1: others contend, and it must hold the lock when the fault fires. */
  | { readonly kind: 'nth'; readonly n: number }
  /** Every nth request of the load. */
  | { readonly kind: 'every'; readonly n: number };

/** Reads `first`, `nth=N` or `every=N`; undefined: the text is none of them. */
export function parseFaultOn(text: string): FaultOn | undefined {
  if (text === 'first') return { kind: 'first' };
  const [, kind, n] = /^(nth|every)[:=]([1-9]\d{0,5})$/.exec(text) ?? [];
  return kind === undefined ? undefined : { kind: kind as 'nth' | 'every', n: Number(n) };
}

/** One load run: traffic, fault, and conditions that the expectation of the catalogue depends on. */
export interface LoadPlan {
  readonly strategy: string;
  readonly options: Options;
  /** The product, or the account when `amountMinor` is given. */
  readonly balance: string;
  /** Carts instead of that product: buyers take them in turn, `quantity` units of each product in the cart. */
  readonly carts?: readonly (readonly string[])[];
  /** Initial units of each product. */
  readonly stock: number;
  readonly requests: number;
  /** Concurrent buyers; of an open loop, requests in flight at most. */
  readonly connections: number;
  /** The requests arrive at a rate, and each is sent at its time. Absent: each buyer waits for its answer. */
  readonly openLoop?: OpenLoop;
  /** Units per order, of each product; for entries, the absolute amount. */
  readonly quantity: number;
  /** Replicas of the app that owns the balance. */
  readonly replicas: number;
  /**
   * Instead of orders: entries of this amount on the account `balance`, positive for a credit and negative for a debit.
   * `stock` is then the opening balance. Minor units.
   */
  readonly amountMinor?: number;
  /** Other writers of the account: an import of that many lines, and pending entries that the scan settles. */
  readonly beside?: { readonly importLines: number; readonly pending: number };
  readonly fault?: { readonly header: string; readonly on: FaultOn };
  /**
   * Every second order uses this strategy: two systems change one stock. `expected`: what is certain about the two; the catalogue
   * has no expectation for them together.
   */
  readonly mixedWith?: { readonly strategy: string; readonly expected?: Expectation };
  /** Reconciles the counters that strategies keep outside of the database, after the first buyer's fault has fired. */
  readonly reconcile?: true;
  /** Reconciles interrupted orders after the load, before the rows are judged: no orphan may be left. */
  readonly reconcileOrders?: true;
  /** Violations that this plan makes certain, where the catalogue only lists them as possible. */
  readonly certain?: readonly ViolationKind[];
  /** A server that is killed before the load and restarted after it: `redis-3`. */
  readonly down?: ServerName;
}

export type PlanInput = Pick<LoadPlan, 'strategy'> &
  Partial<Omit<LoadPlan, 'options'>> & { options?: Partial<Options> };

/** Fills in the defaults of a plan. Throws `UnknownStrategy`, `NoCarts`, `ZodError` or `FaultSyntaxError`. */
export function completePlan(input: PlanInput): LoadPlan {
  for (const strategy of strategiesOf(input)) if (input.carts !== undefined) cartStrategy(strategy);
  if (input.fault !== undefined) parseFaults(input.fault.header);
  return {
    balance: 'load',
    stock: 100,
    requests: 500,
    connections: 50,
    quantity: 1,
    replicas: 2,
    ...input,
    ...(input.openLoop !== undefined && {
      requests: arrivalsOf(input.openLoop),
      connections: input.openLoop.inFlight,
    }),
    ...(input.amountMinor !== undefined && { quantity: Math.abs(input.amountMinor) }),
    ...(input.carts?.[0]?.[0] !== undefined && { balance: input.carts[0][0] }),
    options: optionsSchema.parse(input.options ?? {}),
  };
}

/** The circumstance of the catalogue that this run creates for its strategy. */
export function circumstanceOf({
  strategy,
  options,
  replicas,
  fault,
  reconcile,
  down,
  carts = [],
}: LoadPlan): Circumstance {
  const { options: uses, needs = [] } = findStrategy(strategy);
  for (const { action, verb, app } of fault === undefined ? [] : parseFaults(fault.header)) {
    if (app === 'order') continue; // strategies run in the inventory and account apps only
    if (action.kind === 'kill') return reconcile === true ? 'killed-then-reconciled' : 'holder-killed';
    if (action.kind === 'error' && isRelease(verb) && verb !== 'COMMIT') return 'release-fails';
    if (action.kind === 'delay' && uses.includes('leaseMs') && action.ms > options.leaseMs)
      return 'work-outlives-lease';
    const outlivesLease =
      action.kind === 'pause-until' ||
      ('ms' in action && action.kind !== 'delay' && action.ms > options.leaseMs);
    if (outlivesLease && isRelease(verb)) return 'paused-before-release';
    if (outlivesLease && needs.includes('redlock') && isAcquire(verb)) return 'paused-in-acquire';
    if (outlivesLease) return 'paused-before-write';
  }
  if (down !== undefined) return 'server-down';
  if (uses.includes('leaseMs') && options.workMs > options.leaseMs) return 'work-outlives-lease';
  if (uses.includes('waitMs') && options.workMs > options.waitMs) return 'waiters-give-up';
  if (areCrossed(carts))
    return options.waitMs > options.leaseMs ? 'crossed-carts-outwait-leases' : 'crossed-carts';
  return replicas === 1 ? 'one-replica' : 'replicas';
}

/** Whether two carts list their common products in different orders. */
const areCrossed = (carts: readonly (readonly string[])[]): boolean =>
  carts.some((cart) =>
    carts.some((other) => {
      const common = cart.filter((sku) => other.includes(sku));
      return other.filter((sku) => cart.includes(sku)).some((sku, i) => sku !== common[i]);
    }),
  );

/** The strategies of the run: one, or those of two systems. */
export const strategiesOf = ({
  strategy,
  mixedWith,
}: Pick<LoadPlan, 'strategy' | 'mixedWith'>): readonly Strategy[] =>
  [strategy, ...(mixedWith === undefined ? [] : [mixedWith.strategy])].map(findStrategy);

/** The app whose balances the run changes. */
export const hostOf = ({ amountMinor }: Pick<LoadPlan, 'amountMinor'>): 'inventory' | 'account' =>
  amountMinor === undefined ? 'inventory' : 'account';

/** The products of the run, or its account. */
export const balancesOf = ({ balance, carts }: LoadPlan): readonly string[] =>
  carts === undefined ? [balance] : [...new Set(carts.flat())];

/** The cart of buyer `number`; undefined when the plan has no carts. */
export const cartOf = ({ carts }: LoadPlan, number: number): readonly string[] | undefined =>
  carts?.[number % carts.length];

/** A step of the release, or COMMIT, the last step before it. */
const isRelease = (verb: string): boolean =>
  lockCommandNamed(verb)?.role === 'release' || AT_RELEASE.has(verb);

/** GET: compares the token before DEL. DELETE, REVOKE, RMDIR: locks that are no Redis keys. */
const AT_RELEASE = new Set(['GET', 'DELETE', 'REVOKE', 'RMDIR', 'EVALSHA', 'COMMIT']);

/** An acquire. With several servers it is sent to each: after the first one the lock is not acquired yet. */
const isAcquire = (verb: string): boolean => lockCommandNamed(verb)?.role === 'acquire';

/** When a single buyer is delayed, chance decides who holds the lock and how much is left when it resumes. */
const isSlowedOnce = ({ fault }: LoadPlan): boolean =>
  fault !== undefined && fault.on.kind !== 'every' && fault.header.includes('=delay');
const DEPENDS_ON_OTHERS: ReadonlySet<ViolationKind> = new Set(['oversold', 'foreign-release']);

const hasKill = ({ fault }: LoadPlan): boolean =>
  fault !== undefined && parseFaults(fault.header).some(({ action }) => action.kind === 'kill');

/**
 * The expectation of the catalogue for the plan, adjusted in three ways: a kill may leave a movement without its order
 * unless the orders are reconciled; a stock that covers all requests cannot be oversold; after a single delay, violations
 * that depend on other buyers are only possible.
 */
export function expectationOf(plan: LoadPlan): Expectation {
  const { mixedWith, ...alone } = plan;
  if (mixedWith !== undefined) {
    const { strategy, expected } = mixedWith;
    return expected ?? together([expectationOf(alone), expectationOf({ ...alone, strategy })]);
  }
  const { expected } = underOptions(findStrategy(plan.strategy), plan.options);
  const circumstance = circumstanceOf(plan);
  const undisturbed = expected[plan.replicas === 1 ? 'one-replica' : 'replicas'] ?? SAFE;
  const { must, may } = expected[circumstance] ?? undisturbed;
  const isCredit = (plan.amountMinor ?? 0) > 0;
  const impossible = [
    ...(isCredit || plan.requests * plan.quantity <= plan.stock ? ['oversold'] : []),
    ...(plan.reconcileOrders === true ? ['orphan'] : []),
  ];
  const mayBeLeft =
    hasKill(plan) && plan.reconcileOrders !== true && plan.certain?.includes('orphan') !== true;
  const possible = isSlowedOnce(plan) ? must.filter((kind) => DEPENDS_ON_OTHERS.has(kind)) : [];
  const left = must.filter((kind) => !impossible.includes(kind) && !possible.includes(kind));
  return {
    must: [...left, ...(plan.certain ?? [])],
    may: [...may, ...possible, ...(mayBeLeft ? (['orphan'] as const) : [])],
  };
}

/** Strategies do not exclude one another. */
const NO_EXCLUSION: readonly ViolationKind[] = ['oversold', 'lost-update'];

/**
 * What strategies on one balance may show, each with its own expectation. None is required: together they may hide what each
 * of them shows alone.
 */
export const together = (expectations: readonly Expectation[]): Expectation => ({
  must: [],
  may: [
    ...new Set([
      ...expectations.flatMap(({ must, may }) => [...must, ...may]),
      ...(expectations.length > 1 ? NO_EXCLUSION : []),
    ]),
  ],
});

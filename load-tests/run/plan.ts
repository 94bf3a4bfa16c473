import type { ServerName } from '#lab/stack';
import { parseFaults } from '#lab/step';
import {
  cartStrategy,
  findStrategy,
  optionsSchema,
  SAFE,
  type Circumstance,
  type Expectation,
  type Options,
  type ViolationKind,
} from '#lab/strategy';

/** Which requests of a run carry the fault. */
export type FaultOn =
  /** One buyer alone, before the others: it surely wins the lock. The others come when the fault has fired. */
  | { readonly kind: 'first' }
  /** The nth request of the load, counted from 1: while others contend, and it must hold the lock when the fault fires. */
  | { readonly kind: 'nth'; readonly n: number }
  /** Every nth request of the load. */
  | { readonly kind: 'every'; readonly n: number };

/** One load run: traffic, fault, and what the catalogue expects of it. */
export interface LoadPlan {
  readonly strategy: string;
  readonly options: Options;
  readonly sku: string;
  /** Carts instead of that product: one buyer after the other takes the next one, a `quantity` of each product in it. */
  readonly carts?: readonly (readonly string[])[];
  /** Units at the beginning, of each product. */
  readonly stock: number;
  readonly requests: number;
  readonly connections: number;
  /** Units per order, of each product; of an entry, its amount without its sign. */
  readonly quantity: number;
  /** Replicas of the app whose balance it is. */
  readonly replicas: number;
  /**
   * Entries of this amount on the account `sku`, a credit or a debit, instead of orders; `stock` is its opening balance.
   * Minor units.
   */
  readonly amountMinor?: number;
  /** What changes the account beside the entries: an import of so many lines, and so many entries that the scan settles. */
  readonly beside?: { readonly importLines: number; readonly pending: number };
  readonly fault?: { readonly header: string; readonly on: FaultOn };
  /** Every second order names this strategy: two systems that change one stock. What that comes to is no strategy's own. */
  readonly mixedWith?: { readonly strategy: string; readonly expected: Expectation };
  /** What strategies count outside of the database is brought together with it when the first buyer has met the fault. */
  readonly reconcile?: true;
  /** Orders that were left half-way are reconciled when all buyers have come, before the rows are judged: no orphan may be left. */
  readonly reconcileOrders?: true;
  /** Violations that these numbers make certain, where the catalogue can only say "perhaps". */
  readonly certain?: readonly ViolationKind[];
  /** A server that is killed before the buyers come, and started again behind them: `redis-3`. */
  readonly down?: ServerName;
}

export type PlanInput = Pick<LoadPlan, 'strategy'> &
  Partial<Omit<LoadPlan, 'options'>> & { options?: Partial<Options> };

/** Fills in what a plan leaves open. Throws `UnknownStrategy`, `NoCarts`, `ZodError` or `FaultSyntaxError`. */
export function completePlan(input: PlanInput): LoadPlan {
  const strategy = findStrategy(input.strategy);
  if (input.carts !== undefined) cartStrategy(strategy);
  if (input.fault !== undefined) parseFaults(input.fault.header);
  return {
    sku: 'load',
    stock: 100,
    requests: 500,
    connections: 50,
    quantity: 1,
    replicas: 2,
    ...input,
    ...(input.amountMinor !== undefined && { quantity: Math.abs(input.amountMinor) }),
    ...(input.carts?.[0]?.[0] !== undefined && { sku: input.carts[0][0] }),
    options: optionsSchema.parse(input.options ?? {}),
  };
}

/** What is done to the strategy in this run. */
export function circumstanceOf({
  strategy,
  options,
  replicas,
  fault,
  reconcile,
  down,
  carts = [],
}: LoadPlan): Circumstance {
  const uses = findStrategy(strategy).options;
  for (const { action, verb, app } of fault === undefined ? [] : parseFaults(fault.header)) {
    if (app === 'order') continue; // no strategy runs there
    if (action.kind === 'kill') return reconcile === true ? 'killed-then-reconciled' : 'holder-killed';
    if (action.kind === 'error' && RELEASES.has(verb) && verb !== 'COMMIT') return 'release-fails';
    if (action.kind === 'delay' && uses.includes('leaseMs') && action.ms > options.leaseMs)
      return 'work-outlives-lease';
    const outlivesLease =
      action.kind === 'pause-until' ||
      ('ms' in action && action.kind !== 'delay' && action.ms > options.leaseMs);
    if (outlivesLease && RELEASES.has(verb)) return 'paused-before-release';
    if (outlivesLease && VOTES.has(verb)) return 'paused-in-acquire';
    if (outlivesLease) return 'paused-before-write';
  }
  if (down !== undefined) return 'server-down';
  if (uses.includes('leaseMs') && options.workMs > options.leaseMs) return 'work-outlives-lease';
  if (uses.includes('waitMs') && options.workMs > options.waitMs) return 'waiters-give-up';
  if (areCrossed(carts))
    return options.waitMs > options.leaseMs ? 'crossed-carts-outwait-leases' : 'crossed-carts';
  return replicas === 1 ? 'one-replica' : 'replicas';
}

/** What two of the carts have in common, they have in different order. */
const areCrossed = (carts: readonly (readonly string[])[]): boolean =>
  carts.some((cart) =>
    carts.some((other) => {
      const common = cart.filter((sku) => other.includes(sku));
      return other.filter((sku) => cart.includes(sku)).some((sku, i) => sku !== common[i]);
    }),
  );

/** The app whose balances a run changes. */
export const hostOf = ({ amountMinor }: Pick<LoadPlan, 'amountMinor'>): 'inventory' | 'account' =>
  amountMinor === undefined ? 'inventory' : 'account';

/** The products of a run. */
export const skusOf = ({ sku, carts }: LoadPlan): readonly string[] =>
  carts === undefined ? [sku] : [...new Set(carts.flat())];

/** What the buyer of this number wants; undefined: the one product. */
export const cartOf = ({ carts }: LoadPlan, number: number): readonly string[] | undefined =>
  carts?.[number % carts.length];

/** Steps after which nothing but the release is left to do. */
const RELEASES = new Set([
  'GET',
  'DEL',
  'DELETE',
  'REVOKE',
  'RMDIR',
  'EVALSHA',
  'release-if-owner',
  'release-reentrant',
  'release-fair',
  'release-redlock',
  'release-redlock-beta',
  'COMMIT',
]);

/** Steps of which acquiring takes several: behind the first one it is not over. */
const VOTES = new Set(['acquire-redlock', 'acquire-redlock-beta']);

/** One buyer is slow: who else holds the lock when it goes on, and how much is left then, is chance. */
const isSlowedOnce = ({ fault }: LoadPlan): boolean =>
  fault !== undefined && fault.on.kind !== 'every' && fault.header.includes('=delay');
const DEPENDS_ON_OTHERS: ReadonlySet<ViolationKind> = new Set(['oversold', 'foreign-release']);

const killsSomebody = ({ fault }: LoadPlan): boolean =>
  fault !== undefined && parseFaults(fault.header).some(({ action }) => action.kind === 'kill');

/**
 * What the catalogue says of the plan. A kill may leave a movement without its order, until somebody reconciles the orders.
 * Nothing can be oversold where there is enough for everybody.
 */
export function expectationOf(plan: LoadPlan): Expectation {
  if (plan.mixedWith !== undefined) return plan.mixedWith.expected;
  const { expected } = findStrategy(plan.strategy);
  const circumstance = circumstanceOf(plan);
  const undisturbed = expected[plan.replicas === 1 ? 'one-replica' : 'replicas'] ?? SAFE;
  const { must, may } = expected[circumstance] ?? undisturbed;
  const comesIn = (plan.amountMinor ?? 0) > 0;
  const impossible = [
    ...(comesIn || plan.requests * plan.quantity <= plan.stock ? ['oversold'] : []),
    ...(plan.reconcileOrders === true ? ['orphan'] : []),
  ];
  const mayBeLeft =
    killsSomebody(plan) && plan.reconcileOrders !== true && plan.certain?.includes('orphan') !== true;
  const perhaps = isSlowedOnce(plan) ? must.filter((kind) => DEPENDS_ON_OTHERS.has(kind)) : [];
  const left = must.filter((kind) => !impossible.includes(kind) && !perhaps.includes(kind));
  return {
    must: [...left, ...(plan.certain ?? [])],
    may: [...may, ...perhaps, ...(mayBeLeft ? (['orphan'] as const) : [])],
  };
}

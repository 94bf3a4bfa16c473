import { count } from '#lab/step';
import type { HistoryLine } from '#lab/step';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReplicaControl, Target } from '../run';
import { atRest } from '../run';
import { Buyer, type OrderAnswer } from './client';
import type { CrashCase } from './crash-case';
import { crashPoints, type CrashPoint } from './points';

/** The rows of one product after the crash. */
export interface Left {
  readonly sku: string;
  readonly stock: number;
  /** Units that movements took. */
  readonly taken: number;
  /** Requests with a movement, each once. */
  readonly buyers: readonly string[];
  /** Requests with an order. */
  readonly orders: readonly string[];
}

/** The component that recovers the order after the crash: the reconciler first, or only the client that retries. */
export type Finder = 'reconciler' | 'client';

/** One crash and its recovery. */
export interface Crash extends CrashPoint {
  readonly name: string;
  readonly finder: Finder;
  /** The answer to the request that the crash interrupted. */
  readonly answered: OrderAnswer;
  /** The rows after the crash, before the recovery. */
  readonly left: readonly Left[];
  /** The outcome that the reconciler reports; `nothing`: it found no such order. Null: it was not run. */
  readonly reconciled: string | null;
  /** The answer to the retry with the same key. */
  readonly answeredAgain: OrderAnswer;
  /** Violated requirements, in words; empty: the recovery is correct. */
  readonly wrong: readonly string[];
}

/** The lab that the crashes run against. */
export interface CrashEnvironment {
  readonly target: Target;
  readonly control: Pick<ReplicaControl, 'ready'>;
  /** Part of all ids, so that they are unique. */
  readonly run: string;
}

const DEATH_TIMEOUT_MS = 15_000;
let crashes = 0;

/** Runs one order without a fault and returns its crash points. Throws when that order fails. */
export async function enumerate({ target, run }: CrashEnvironment, crash: CrashCase): Promise<CrashPoint[]> {
  const { skus, buyer, id } = await prepare(target, run, crash);
  const { code } = await buyer.buy({ key: id, id });
  if (code !== 'APPLIED')
    throw new Error(`${crash.name}: the order without a fault was answered with ${code}`);
  const [sku = ''] = skus;
  await atRest(target, sku);
  return crashPoints(await target.history(sku), id);
}

/** Kills a replica at the point, recovers the order, and checks rows and answers at each stage. */
export async function crashAt(
  environment: CrashEnvironment,
  crash: CrashCase,
  point: CrashPoint,
  finder: Finder,
): Promise<Crash> {
  const { target, control, run } = environment;
  const { skus, buyer, id } = await prepare(target, run, crash);
  const wrong: string[] = [];
  const firstAnswer = await buyer.buy({ key: id, id, fault: point.fault });
  await control.ready(); // later requests must not reach the dead replica
  const [sku = ''] = skus;
  if (!(await wasKilled(target, sku)))
    wrong.push('the supervisor recorded no death of the replica, so this crash proves nothing');
  for (const one of skus) await atRest(target, one);
  const left = await look(target, skus);
  const reconciled = finder === 'client' ? null : await reconcile(target, id);
  if (reconciled !== null) {
    const reconciledRows = await look(target, skus);
    wrong.push(...wholeOrNothing(crash, reconciledRows));
    if ((await reconcile(target, id)) !== NOTHING) wrong.push('a second reconciliation found work to do');
    if (JSON.stringify(await look(target, skus)) !== JSON.stringify(reconciledRows))
      wrong.push('a second reconciliation changed rows');
  }
  const before = await look(target, skus);
  const answeredAgain = await buyer.insist(id);
  const final = await look(target, skus);
  if (answeredAgain.code !== 'APPLIED') wrong.push(`the retry was answered with ${answeredAgain.code}`);
  const wasBought = before.some(({ taken }) => taken > 0);
  if (answeredAgain.isReplayed !== wasBought)
    wrong.push(
      wasBought
        ? 'the retry was answered as a new purchase, but the order was bought before'
        : 'the retry was answered as a replay, but nothing was bought before',
    );
  wrong.push(...boughtOnce(crash, final), ...(await sellsTheRest(crash, buyer, target, skus)));
  return {
    name: crash.name,
    finder,
    ...point,
    answered: firstAnswer,
    left,
    reconciled,
    answeredAgain,
    wrong,
  };
}

interface Prepared {
  readonly skus: readonly string[];
  readonly buyer: Buyer;
  /** The id of the request, and its key. */
  readonly id: string;
}

async function prepare(target: Target, run: string, crash: CrashCase): Promise<Prepared> {
  const id = `crash-${run}-${++crashes}`;
  const skus = Array.from({ length: crash.products }, (_, i) => `${id}-${i + 1}`);
  for (const sku of skus) await target.reset(sku, crash.stock);
  return { skus, buyer: new Buyer(target.labUrl, crash, skus), id };
}

/** Whether the fault fired and the supervisor recorded the exit of that process by SIGKILL. */
async function wasKilled(target: Target, sku: string): Promise<boolean> {
  const until = performance.now() + DEATH_TIMEOUT_MS;
  while (performance.now() < until) {
    const history = await target.history(sku);
    const fault = history.find(({ type }) => type === 'fault');
    if (fault !== undefined && history.some((line) => isDeathBy(fault, line))) return true;
    await delay(50);
  }
  return false;
}

const isDeathBy = (fault: HistoryLine, line: HistoryLine): boolean =>
  line.type === 'exit' && line.pid === fault.pid && line.signal === 'SIGKILL' && line.t >= fault.t;

const look = (target: Target, skus: readonly string[]): Promise<Left[]> =>
  Promise.all(
    skus.map(async (sku) => {
      const [{ amount: stock }, movements, orders] = await Promise.all([
        target.balance(sku),
        target.movements(sku),
        target.orders(sku),
      ]);
      return {
        sku,
        stock,
        taken: movements.reduce((units, { delta }) => units - delta, 0),
        buyers: [...new Set(movements.map(({ request }) => request))],
        orders: orders.map(({ request }) => request),
      };
    }),
  );

const NOTHING = 'nothing';
/** The lock of a killed holder can block the reconciler until its lease ends: 20 rounds of 200 ms. */
const MAX_ROUNDS = 20;

/** Reconciles until the order of `request` is decided; returns its last outcome, or `nothing`. */
async function reconcile(target: Target, request: string): Promise<string> {
  let outcome = NOTHING;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const mine = (await target.reconcileOrders()).find((one) => one.request === request);
    if (mine === undefined) return outcome;
    outcome = mine.outcome;
    if (outcome !== 'undecided') return outcome;
    await delay(200);
  }
  return outcome;
}

/** Requires one order with all of its movements, or no order and the whole stock. */
function wholeOrNothing({ stock, quantity }: CrashCase, left: readonly Left[]): string[] {
  const bought = left.some(({ taken }) => taken > 0);
  return left.flatMap((one) => {
    const units = bought ? quantity : 0;
    const wrong = [];
    if (one.taken !== units)
      wrong.push(`${one.sku}: the movements took ${one.taken} instead of ${count(units, 'unit')}`);
    if (one.stock !== stock - one.taken)
      wrong.push(
        `${one.sku}: ${one.stock} left of ${count(stock, 'unit')}, but the movements took ${one.taken}`,
      );
    if (one.buyers.join() !== one.orders.join())
      wrong.push(`${one.sku}: movements of ${one.buyers.join()}, orders of ${one.orders.join()}`);
    if (one.orders.length !== (bought ? 1 : 0))
      wrong.push(`${one.sku}: ${count(one.orders.length, 'order')}`);
    return wrong;
  });
}

const boughtOnce = (crash: CrashCase, left: readonly Left[]): string[] => [
  ...wholeOrNothing(crash, left),
  ...(left.every(({ taken }) => taken === crash.quantity)
    ? []
    : ['the retry bought nothing or not the whole order']),
];

/** Sells the rest unit by unit and then one more: shows that no unit was lost in a counter outside of the database. */
async function sellsTheRest(
  { stock, quantity }: CrashCase,
  buyer: Buyer,
  target: Target,
  skus: readonly string[],
): Promise<string[]> {
  for (let unit = quantity; unit < stock; unit++) {
    const { code } = await buyer.buy({}, 1);
    if (code !== 'APPLIED') return [`unit ${unit + 1} of ${stock} could not be sold: ${code}`];
  }
  const { code } = await buyer.buy({}, 1);
  const more = code === 'STOCK.SOLD_OUT' ? [] : [`the order after the last unit was answered with ${code}`];
  const over = (await look(target, skus)).filter((one) => one.stock !== 0 || one.taken !== stock);
  return [...more, ...over.map(({ sku, taken }) => `${sku}: sold ${taken} of ${count(stock, 'unit')}`)];
}

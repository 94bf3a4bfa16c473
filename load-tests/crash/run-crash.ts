import { count } from '#lab/step';
import type { HistoryLine } from '#lab/step';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReplicaControl, Target } from '../run';
import { atRest } from '../run';
import { Buyer, type OrderAnswer } from './client';
import type { CrashCase } from './crash-case';
import { crashPoints, type CrashPoint } from './points';

/** What there is of one product. */
export interface Left {
  readonly sku: string;
  readonly stock: number;
  /** Units that movements have taken. */
  readonly taken: number;
  /** Requests that have a movement, and orders that there are, each once. */
  readonly buyers: readonly string[];
  readonly orders: readonly string[];
}

/** Who finds the order after the crash. */
export type Finder = 'reconciler' | 'client';

/** One crash, and how it was mended. */
export interface Crash extends CrashPoint {
  readonly name: string;
  readonly finder: Finder;
  /** What the buyer was told at first. */
  readonly told: OrderAnswer;
  /** What the crash has left. */
  readonly left: readonly Left[];
  /** What the reconciler did; `nothing`: there was nothing to do. Null: it was not asked. */
  readonly reconciled: string | null;
  /** What the buyer was told who asked again, with the same key. */
  readonly toldAgain: OrderAnswer;
  /** What is not as it must be; none: all is well. */
  readonly wrong: readonly string[];
}

/** What crashes need of the lab. */
export interface CrashEnvironment {
  readonly target: Target;
  readonly control: Pick<ReplicaControl, 'ready'>;
  /** Makes names unique. */
  readonly run: string;
}

const SEEN_MS = 15_000;
let crashes = 0;

/** The points of a case, from the history of an order that nobody disturbs. */
export async function enumerate({ target, run }: CrashEnvironment, crash: CrashCase): Promise<CrashPoint[]> {
  const { skus, buyer, id } = await prepare(target, run, crash);
  const told = await buyer.buy({ key: id, id });
  if (told.code !== 'APPLIED') throw new Error(`${crash.name}: the undisturbed order was told ${told.code}`);
  const [sku = ''] = skus;
  await atRest(target, sku);
  return crashPoints(await target.history(sku), id);
}

/** Crashes a replica at the point, and looks at what is left, who mends it, and whether all is well in the end. */
export async function crashAt(
  environment: CrashEnvironment,
  crash: CrashCase,
  point: CrashPoint,
  finder: Finder,
): Promise<Crash> {
  const { target, control, run } = environment;
  const { skus, buyer, id } = await prepare(target, run, crash);
  const wrong: string[] = [];
  const told = await buyer.buy({ key: id, id, fault: point.fault });
  await control.ready(); // whom we ask is not the dead one
  const [sku = ''] = skus;
  if (!(await wasKilled(target, sku))) wrong.push('nobody saw the replica die: nothing is proved');
  for (const one of skus) await atRest(target, one);
  const left = await look(target, skus);
  const reconciled = finder === 'client' ? null : await reconcile(target, id);
  if (reconciled !== null) {
    const mended = await look(target, skus);
    wrong.push(...wholeOrNothing(crash, mended));
    if ((await reconcile(target, id)) !== NOTHING) wrong.push('a second reconcile found something to do');
    if (JSON.stringify(await look(target, skus)) !== JSON.stringify(mended))
      wrong.push('a second reconcile changed something');
  }
  const before = await look(target, skus);
  const toldAgain = await buyer.insist(id);
  const final = await look(target, skus);
  if (toldAgain.code !== 'APPLIED') wrong.push(`who asked again was told ${toldAgain.code}`);
  const wasBought = before.some(({ taken }) => taken > 0);
  if (toldAgain.isReplayed !== wasBought)
    wrong.push(wasBought ? 'the purchase was told as a new one' : 'a new purchase was told as an old one');
  wrong.push(...boughtOnce(crash, final), ...(await sellsTheRest(crash, buyer, target, skus)));
  return { name: crash.name, finder, ...point, told, left, reconciled, toldAgain, wrong };
}

interface Prepared {
  readonly skus: readonly string[];
  readonly buyer: Buyer;
  /** Of the request, and its key. */
  readonly id: string;
}

async function prepare(target: Target, run: string, crash: CrashCase): Promise<Prepared> {
  const id = `crash-${run}-${++crashes}`;
  const skus = Array.from({ length: crash.products }, (_, i) => `${id}-${i + 1}`);
  for (const sku of skus) await target.reset(sku, crash.stock);
  return { skus, buyer: new Buyer(target.labUrl, crash, skus), id };
}

/** The fault has fired, and the supervisor saw the process end by SIGKILL. */
async function wasKilled(target: Target, sku: string): Promise<boolean> {
  const until = performance.now() + SEEN_MS;
  while (performance.now() < until) {
    const history = await target.history(sku);
    const fault = history.find(({ type }) => type === 'fault');
    if (fault !== undefined && history.some((line) => diedOf(line, fault))) return true;
    await delay(50);
  }
  return false;
}

const diedOf = (line: HistoryLine, fault: HistoryLine): boolean =>
  line.type === 'exit' && line.pid === fault.pid && line.signal === 'SIGKILL' && line.t >= fault.t;

const look = (target: Target, skus: readonly string[]): Promise<Left[]> =>
  Promise.all(
    skus.map(async (sku) => {
      const [{ stock }, movements, orders] = await Promise.all([
        target.product(sku),
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
/** A dead buyer's lock may keep the reconciler waiting until its lease is over. */
const MOST_ROUNDS = 20;

/** What the reconciler did with the order of this request. */
async function reconcile(target: Target, request: string): Promise<string> {
  let outcome = NOTHING;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const mine = (await target.reconcileOrders()).find((one) => one.request === request);
    if (mine === undefined) return outcome;
    outcome = mine.outcome;
    if (outcome !== 'undecided') return outcome;
    await delay(200);
  }
  return outcome;
}

/** An order with all that it has taken, or no order and all of the stock. */
function wholeOrNothing({ stock, quantity }: CrashCase, left: readonly Left[]): string[] {
  const bought = left.some(({ taken }) => taken > 0);
  return left.flatMap((one) => {
    const units = bought ? quantity : 0;
    const wrong = [];
    if (one.taken !== units)
      wrong.push(`taken of ${one.sku}: ${one.taken} instead of ${count(units, 'unit')}`);
    if (one.stock !== stock - one.taken)
      wrong.push(`${one.sku} has ${one.stock} left of ${count(stock, 'unit')}, and ${one.taken} taken`);
    if (one.buyers.join() !== one.orders.join())
      wrong.push(`${one.sku}: movements of ${one.buyers.join()}, orders of ${one.orders.join()}`);
    if (one.orders.length !== (bought ? 1 : 0))
      wrong.push(`${one.sku}: ${count(one.orders.length, 'order')}`);
    return wrong;
  });
}

const boughtOnce = (crash: CrashCase, left: readonly Left[]): string[] => [
  ...wholeOrNothing(crash, left),
  ...(left.every(({ taken }) => taken === crash.quantity) ? [] : ['it was not bought']),
];

/** Nothing was lost in a count outside of the database: unit by unit the rest is sold, and no more. */
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
  const more = code === 'STOCK.SOLD_OUT' ? [] : [`when all was sold, the next one was told ${code}`];
  const over = (await look(target, skus)).filter((one) => one.stock !== 0 || one.taken !== stock);
  return [...more, ...over.map(({ sku, taken }) => `sold of ${sku}: ${taken} of ${count(stock, 'unit')}`)];
}

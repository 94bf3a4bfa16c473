import { count } from '#lab/step';
import type { ServerName } from '#lab/stack';
import type { HistoryLine } from '#lab/step';
import {
  judgeCarts,
  judgeLoad,
  unfinished,
  type ClientAnswer,
  type CartsVerdict,
  type Evidence,
  type LoadVerdict,
} from '#lab/verdict';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { withOthersBeside } from './beside';
import { expectationOf, hostOf, skusOf, type LoadPlan } from './plan';
import { summarize, type LatencySummary } from './summary';
import type { Target } from './target';
import { sendLoad, sendOne, type Traffic } from './traffic';

/** What a run needs of the stack behind the target; a lab that was only given by address can do less. */
export interface ReplicaControl {
  /**
   * Resolves, with the number of replicas of the app (the inventory), when there are `count` of them; undefined: as many as
   * there are.
   */
  scale(count?: number, app?: 'inventory' | 'account'): Promise<number>;
  /** Resolves when every replica answers. */
  ready(): Promise<void>;
  /** Kills a server; resolves, when it is gone, with how to start it again. */
  lose(server: ServerName): Promise<() => Promise<void>>;
  conditions(): Promise<Record<string, string | number | boolean>>;
}

/** A finished run: evidence, verdict, and what the clients felt. */
export interface LoadRun {
  readonly plan: LoadPlan;
  /** Of each product. */
  readonly evidences: readonly Evidence[];
  readonly verdict: LoadVerdict | CartsVerdict;
  readonly latency: LatencySummary;
  readonly conditions: Readonly<Record<string, string | number | boolean>>;
}

/** Milliseconds that a fault may take to fire, and a run to come to rest. */
const FAULT_MS = 15_000;
const REST_MS = 30_000;

/** Runs a plan against a lab: reset, load, wait for rest, read the rows, judge. */
export async function runLoad(
  lab: Target,
  control: ReplicaControl,
  wanted: LoadPlan,
  onProgress: (text: string) => void,
): Promise<LoadRun> {
  const host = hostOf(wanted);
  const target = host === 'account' ? lab.accounts : lab;
  const plan = { ...wanted, replicas: await control.scale(wanted.replicas, host) };
  await control.ready();
  const skus = skusOf(plan);
  for (const sku of skus) await target.reset(sku, plan.stock);
  const startAgain = plan.down === undefined ? undefined : await control.lose(plan.down);
  const send = (): Promise<Traffic> => sendTraffic(target, control, plan, onProgress).finally(startAgain);
  const { result: traffic, confirmed } =
    plan.beside === undefined
      ? { result: await send(), confirmed: [] }
      : await withOthersBeside(lab.accounts, plan, send);
  await control.ready();
  for (const sku of skus) await atRest(target, sku);
  if (plan.reconcileOrders === true)
    await poll(REST_MS, async () =>
      (await target.reconcileOrders()).every(({ outcome }) => outcome !== 'undecided'),
    );
  const evidences = [];
  for (const sku of skus) evidences.push(await gather(target, sku, plan, { ...traffic, confirmed }));
  return {
    plan,
    evidences,
    verdict: judge(plan, evidences),
    latency: summarize(traffic),
    conditions: await control.conditions(),
  };
}

function judge(plan: LoadPlan, evidences: readonly Evidence[]): LoadVerdict | CartsVerdict {
  const expected = expectationOf(plan);
  const [evidence] = evidences;
  if (evidence === undefined) throw new Error('a plan has at least one product');
  return plan.carts === undefined ? judgeLoad(evidence, expected) : judgeCarts(evidences, expected);
}

async function sendTraffic(
  target: Target,
  control: ReplicaControl,
  plan: LoadPlan,
  onProgress: (text: string) => void,
): Promise<Traffic> {
  const run = randomBytes(3).toString('hex');
  const url = plan.fault === undefined ? target.publicUrl : target.labUrl;
  let first: Promise<ClientAnswer> | undefined;
  if (plan.fault?.on.kind === 'first') {
    onProgress('one buyer meets the fault');
    first = sendOne(url, plan, `${run}-first`);
    await faultFired(target, plan.sku, first);
    if (plan.fault.header.includes('=kill')) await control.ready(); // the others come when its replica is there again
    if (plan.reconcile === true) await target.reconcile(plan.sku);
  }
  const traffic = await sendLoad(url, plan, run, (done) => {
    onProgress(`${done} of ${count(plan.requests, 'answer')}`);
  });
  return first === undefined ? traffic : { ...traffic, answers: [await first, ...traffic.answers] };
}

/** Resolves when the fault has taken effect, or when the buyer has its answer: then it never fired. */
async function faultFired(target: Target, sku: string, first: Promise<ClientAnswer>): Promise<void> {
  let answered = false;
  void first.finally(() => (answered = true)).catch(() => undefined);
  await poll(FAULT_MS, async () => answered || tookEffect(await target.history(sku)));
}

/**
 * A pause has taken effect when another process has seen it: a buyer who came earlier could be paused in the middle of its
 * own sale.
 */
const tookEffect = (history: readonly HistoryLine[]): boolean =>
  history.some((line) => line.type === 'fault' && !line.action.startsWith('pause')) ||
  history.some(({ type }) => type === 'stopped');

/** Resolves when every request that a replica began has ended, or its replica has; gives up after `REST_MS`. */
export async function atRest(target: Target, sku: string): Promise<void> {
  await poll(REST_MS, async () => unfinished(await target.history(sku)).length === 0);
}

async function poll(mostMs: number, done: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + mostMs;
  while (!(await done()) && performance.now() < until) await delay(20);
}

/** An account has no orders: whoever was told that its entry is there must find it, and nobody else's is there. */
const isConfirmed = ({ code }: ClientAnswer): boolean => code === 'APPLIED';

/** How many requests began and ended: a timer that outlived its request moves no rows. */
const requestsIn = (history: readonly HistoryLine[]): number =>
  history.filter(({ type }) => type === 'request' || type === 'outcome').length;

/** Reads what is left after a run: rows, locks, history, all of one moment at which nothing happened. */
export async function gather(
  target: Target,
  sku: string,
  about: Pick<LoadPlan, 'strategy' | 'replicas' | 'fault' | 'down' | 'amountMinor'>,
  { answers, confirmed = [] }: Pick<Traffic, 'answers'> & { confirmed?: readonly { request: string }[] },
): Promise<Evidence> {
  const until = performance.now() + REST_MS;
  for (;;) {
    const before = requestsIn(await target.history(sku));
    const [product, movements, segments, orders, locks] = await Promise.all([
      target.product(sku),
      target.movements(sku),
      target.segments(sku),
      about.amountMinor === undefined ? target.orders(sku) : [...answers.filter(isConfirmed), ...confirmed],
      target.locks(sku),
    ]);
    const history = await target.history(sku);
    const moving = requestsIn(history) !== before;
    if (moving && performance.now() < until) continue;
    return {
      sku,
      strategy: about.strategy,
      replicas: about.replicas,
      faults: about.fault === undefined ? [] : [about.fault.header],
      ...(about.fault?.on.kind === 'nth' && { amidst: true }),
      ...(about.down !== undefined && { down: about.down }),
      initial: product.initial,
      finalStock: product.stock,
      movements,
      segments,
      orders,
      locks,
      history,
      answers,
      moving,
    };
  }
}

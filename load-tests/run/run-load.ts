import type { HoldOptions, ServerName } from '#lab/stack';
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
import type { LoadObserver } from './observer';
import { expectationOf, hostOf, balancesOf, type LoadPlan } from './plan';
import { summarize, type LatencySummary } from './summary';
import type { Target } from './target';
import { sendLoad, sendOne, type Traffic } from './traffic';
import type { UnexpectedAnswers } from './unexpected';

/** Control over the stack behind the target. A lab that is known only by its addresses supports less of it. */
export interface ReplicaControl {
  /**
   * Waits until no other process sends load to this lab, and resolves with the function that releases it. Two loads at once would
   * reset each other's product and share their faults. Absent: the lab was started elsewhere, where this process sees no other.
   */
  holdLab?(options: HoldOptions): Promise<() => void>;
  /**
   * Scales the app (default: inventory) to `count` replicas and resolves with their number; without `count` it resolves
   * with the present number.
   */
  scale(count?: number, app?: 'inventory' | 'account'): Promise<number>;
  /** Resolves when every replica answers. */
  ready(): Promise<void>;
  /** Kills a server; resolves after its exit with a function that restarts it. */
  lose(server: ServerName): Promise<() => Promise<void>>;
  conditions(): Promise<Record<string, string | number | boolean>>;
  /** What the replicas logged about a request; empty: their logs are elsewhere. */
  logOf(request: string): readonly string[];
}

/** A finished run: evidence, verdict and client-side latencies. */
export interface LoadRun {
  readonly plan: LoadPlan;
  /** One per product. */
  readonly evidences: readonly Evidence[];
  readonly verdict: LoadVerdict | CartsVerdict;
  readonly latency: LatencySummary;
  readonly unexpected: UnexpectedAnswers;
  readonly conditions: Readonly<Record<string, string | number | boolean>>;
}

/** Time limits for the fault to fire, and for all requests to end. Milliseconds. */
const FAULT_MS = 15_000;
const REST_MS = 30_000;

/**
 * Runs a plan against a lab: resets it, sends the load, waits until all requests have ended, reads the rows, judges. A run
 * that the observer ends early rejects when its replicas are ready again and its requests have ended.
 */
export async function runLoad(
  lab: Target,
  control: ReplicaControl,
  wanted: LoadPlan,
  observer: LoadObserver,
): Promise<LoadRun> {
  const release = await control.holdLab?.({
    signal: observer.signal,
    onWait: (pid) => {
      observer.progress(`waiting for the other load on this lab, of process ${pid}`);
    },
  });
  return runAlone(lab, control, wanted, observer).finally(release);
}

async function runAlone(
  lab: Target,
  control: ReplicaControl,
  wanted: LoadPlan,
  observer: LoadObserver,
): Promise<LoadRun> {
  const { signal } = observer;
  const host = hostOf(wanted);
  const target = host === 'account' ? lab.accounts : lab;
  signal?.throwIfAborted();
  const plan = { ...wanted, replicas: await control.scale(wanted.replicas, host) };
  await control.ready();
  const balances = balancesOf(plan);
  for (const balance of balances) await target.reset(balance, plan.stock);
  try {
    const { traffic, confirmed } = await play(lab, control, plan, observer);
    observer.progress('reading the rows and the history');
    await control.ready();
    for (const balance of balances) await atRest(target, balance, signal);
    if (plan.reconcileOrders === true)
      await poll(
        REST_MS,
        async () => (await target.reconcileOrders()).every(({ outcome }) => outcome !== 'undecided'),
        signal,
      );
    const evidences = [];
    for (const balance of balances) {
      signal?.throwIfAborted();
      evidences.push(await gather(target, balance, plan, { ...traffic, confirmed }));
    }
    return {
      plan,
      evidences,
      verdict: judge(plan, evidences),
      latency: summarize(traffic),
      unexpected: traffic.unexpected.result((request) => control.logOf(request)),
      conditions: await control.conditions(),
    };
  } catch (error) {
    if (signal?.aborted === true) {
      observer.progress('waiting for the requests that were sent');
      await control.ready();
      for (const balance of balances) await atRest(target, balance);
    }
    throw error;
  }
}

/** Sends the load, with the server of the plan killed before it and restarted after it. */
async function play(
  lab: Target,
  control: ReplicaControl,
  plan: LoadPlan,
  observer: LoadObserver,
): Promise<{ traffic: Traffic; confirmed: readonly { request: string }[] }> {
  const target = hostOf(plan) === 'account' ? lab.accounts : lab;
  const restartServer = plan.down === undefined ? undefined : await control.lose(plan.down);
  const send = (): Promise<Traffic> => sendTraffic(target, control, plan, observer).finally(restartServer);
  if (plan.beside === undefined) return { traffic: await send(), confirmed: [] };
  const { result: traffic, confirmed } = await withOthersBeside(lab.accounts, plan, send, observer.signal);
  return { traffic, confirmed };
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
  observer: LoadObserver,
): Promise<Traffic> {
  const run = randomBytes(3).toString('hex');
  const url = plan.fault === undefined ? target.publicUrl : target.labUrl;
  let first: Promise<ClientAnswer> | undefined;
  observer.begun?.();
  if (plan.fault?.on.kind === 'first') {
    observer.progress('sending one buyer with the fault');
    first = sendOne(url, plan, `${run}-first`, observer);
    await faultFired(target, plan.balance, first, observer.signal);
    if (plan.fault.header.includes('=kill')) await control.ready(); // the load must not find its replica missing
    if (plan.reconcile === true) await target.reconcile(plan.balance);
  }
  const traffic = await sendLoad(url, plan, run, observer);
  return first === undefined ? traffic : { ...traffic, answers: [await first, ...traffic.answers] };
}

/** Resolves when the fault has taken effect, or when the buyer has its answer, in which case the fault never fired. */
export async function faultFired(
  target: Pick<Target, 'history'>,
  balance: string,
  first: Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  let answered = false;
  void first.finally(() => (answered = true)).catch(() => undefined);
  await poll(FAULT_MS, async () => answered || tookEffect(await target.history(balance)), signal);
}

/**
 * A pause has taken effect only when another process has recorded `stopped`: it stops the whole replica, so a buyer that
 * arrives there earlier could be paused in the middle of its own sale.
 */
const tookEffect = (history: readonly HistoryLine[]): boolean =>
  history.some((line) => line.type === 'fault' && !line.action.startsWith('pause')) ||
  history.some(({ type }) => type === 'stopped');

/** Resolves when every started request, or its replica, has ended; at the latest after `REST_MS`. */
export async function atRest(
  target: Pick<Target, 'history'>,
  balance: string,
  signal?: AbortSignal,
): Promise<void> {
  await poll(REST_MS, async () => unfinished(await target.history(balance)).length === 0, signal);
}

/** Rejects when the signal is aborted. */
async function poll(timeoutMs: number, done: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (!(await done()) && performance.now() < until) await delay(20, undefined, { signal });
}

/** An account has no orders: its movements must match the entries that clients received as confirmed. */
const isConfirmed = ({ code }: ClientAnswer): boolean => code === 'APPLIED';

/** Number of begun and ended requests. Timer steps are not counted: one that outlives its request changes no rows. */
const requestsIn = (history: readonly HistoryLine[]): number =>
  history.filter(({ type }) => type === 'request' || type === 'outcome').length;

/**
 * Reads rows, locks and history after a run, and repeats that until no request began or ended meanwhile. After `REST_MS`
 * it returns the evidence with `moving` set.
 */
export async function gather(
  target: Target,
  balance: string,
  about: Pick<LoadPlan, 'strategy' | 'replicas' | 'fault' | 'down' | 'amountMinor'>,
  { answers, confirmed = [] }: Pick<Traffic, 'answers'> & { confirmed?: readonly { request: string }[] },
): Promise<Evidence> {
  const until = performance.now() + REST_MS;
  for (;;) {
    const before = requestsIn(await target.history(balance));
    const [{ amount, initial }, movements, segments, orders, locks] = await Promise.all([
      target.balance(balance),
      target.movements(balance),
      target.segments(balance),
      about.amountMinor === undefined
        ? target.orders(balance)
        : [...answers.filter(isConfirmed), ...confirmed],
      target.locks(balance),
    ]);
    const history = await target.history(balance);
    const moving = requestsIn(history) !== before;
    if (moving && performance.now() < until) continue;
    return {
      balance,
      strategy: about.strategy,
      replicas: about.replicas,
      faults: about.fault === undefined ? [] : [about.fault.header],
      ...(about.fault?.on.kind === 'nth' && { amidst: true }),
      ...(about.down !== undefined && { down: about.down }),
      initial,
      finalStock: amount,
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

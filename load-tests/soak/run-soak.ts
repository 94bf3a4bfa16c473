import { count } from '#lab/step';
import type { Stack } from '#lab/stack';
import type { HistoryLine } from '#lab/step';
import { findStrategy } from '#lab/strategy';
import {
  judgeMinute,
  judgeSoak,
  unfinished,
  type MinuteVerdict,
  type Sample,
  type SoakVerdict,
} from '#lab/verdict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Target } from '../run';
import { BuyerPool } from './buyer-pool';
import { gather, targetOf } from './gather';
import { allowed } from './kinds';
import { lookAt } from './look';
import type { PlannedMinute, SoakPlan } from './plan';
import { byBalance, isProcessLine, Logs, Records } from './records';
import { doToServer, feltBy, type Done } from './server-faults';

/** The environment of a soak. */
export interface SoakEnvironment {
  readonly stack: Stack;
  readonly target: Target;
  /** The folder of the stack, with its logs. */
  readonly dir: string;
  /** Aborts the soak after the step that is under way. */
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** `lines`: the history from which the minute was judged. */
  readonly onMinute: (minute: MinuteVerdict, lines: readonly HistoryLine[]) => void;
}

export interface SoakRun {
  readonly plan: SoakPlan;
  readonly minutes: readonly MinuteVerdict[];
  readonly samples: readonly Sample[];
  readonly verdict: SoakVerdict;
}

/** Milliseconds to wait for the end of all requests, and for the reconciliation of all orders. */
const REST_MS = 40_000;
const POLL_EVERY_MS = 200;
const PROGRESS_EVERY_MS = 2000;

/** Runs a plan minute by minute. Each minute is judged when no request is under way. */
export async function runSoak(env: SoakEnvironment, plan: SoakPlan): Promise<SoakRun> {
  const records = new Records(env.stack.historyDir);
  const logs = new Logs(join(env.dir, 'logs'));
  const begun = performance.now();
  const minutes: MinuteVerdict[] = [];
  const samples: Sample[] = [];
  for (const planned of plan.minutes) {
    env.signal.throwIfAborted();
    const { pools, done } = await play(env, planned, plan);
    await atRest(env, records, planned);
    const reconciled = await reconcileOrders(env);
    const lines = records.read();
    const histories = byBalance(lines);
    const balances = [];
    for (const sold of pools.flatMap((pool) => pool.sold)) {
      const evidence = await gather(env.target, sold, histories);
      balances.push({ evidence, allowed: allowed(findStrategy(sold.strategy), planned.kinds) });
    }
    const verdict = judgeMinute({
      number: planned.number,
      balances,
      serverFaults: done.map((fault) => ({ ...fault, feltBy: feltBy(fault, lines) })),
      processes: lines.filter(isProcessLine),
      reconciled,
      errors: logs.errors(),
    });
    minutes.push(verdict);
    env.onMinute(verdict, lines);
    records.clear();
    for (const replica of await env.stack.replicas())
      samples.push(await lookAt(replica, (performance.now() - begun) / 60_000));
  }
  const names = plan.kinds.map(({ name }) => name);
  return {
    plan,
    minutes,
    samples,
    verdict: judgeSoak(minutes, samples, { kinds: names, least: plan.least }),
  };
}

/** Runs the buyers and the faults of one minute; resolves when every buyer has its answer. */
async function play(
  { stack, target, signal, onProgress }: SoakEnvironment,
  { number, seconds, balances, faults }: PlannedMinute,
  { seed, minutes }: SoakPlan,
): Promise<{ pools: readonly BuyerPool[]; done: readonly Done[] }> {
  const agent = new Agent({ connections: 64 });
  const pools = balances.map((planned, i) => {
    const { kind } = planned;
    const open = (balance: string, stock: number): Promise<unknown> =>
      targetOf(target, kind).reset(balance, stock);
    return new BuyerPool(planned, `soak${seed}-${number}-${i + 1}`, target.labUrl, agent, open);
  });
  const begun = performance.now();
  const sinceMs = (): number => performance.now() - begun;
  const progress = setInterval(() => {
    const sold = pools.flatMap((pool) => pool.sold).flatMap(({ answers }) => answers).length;
    onProgress(
      `minute ${number} of ${minutes.length}: ${Math.round(sinceMs() / 1000)} s, ${count(sold, 'answer')}`,
    );
  }, PROGRESS_EVERY_MS);
  const buying = Promise.all(pools.map((pool) => pool.buy()));
  const done: Done[] = [];
  try {
    for (const { at, kind, carried, server } of faults) {
      await delay(Math.max(0, at - sinceMs()), undefined, { signal });
      if (carried !== undefined) pools[carried.balance]?.hit(carried.header);
      if (server !== undefined) done.push(await doToServer(stack, kind, server));
    }
    await delay(Math.max(0, 1000 * seconds - sinceMs()), undefined, { signal });
  } finally {
    for (const pool of pools) pool.stop();
    await buying;
    clearInterval(progress);
    await agent.destroy();
  }
  return { pools, done };
}

/** Resolves when all servers and replicas answer, requests have ended (or the wait timed out), and all leases are over. */
async function atRest(
  { stack, signal }: SoakEnvironment,
  records: Records,
  { balances }: PlannedMinute,
): Promise<void> {
  await stack.ready();
  const deadline = performance.now() + REST_MS;
  while (unfinished(records.read()).length > 0 && performance.now() < deadline)
    await delay(POLL_EVERY_MS, undefined, { signal });
  await delay(Math.max(0, ...balances.map(({ options }) => options.leaseMs)), undefined, { signal });
}

/** Reconciles orders that replicas left unfinished. False: some are still undecided at the timeout. */
async function reconcileOrders({ target, signal }: SoakEnvironment): Promise<boolean> {
  const deadline = performance.now() + REST_MS;
  while (!(await target.reconcileOrders().catch(() => false))) {
    if (performance.now() > deadline) return false;
    await delay(POLL_EVERY_MS, undefined, { signal });
  }
  return true;
}

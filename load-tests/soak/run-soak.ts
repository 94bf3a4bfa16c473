import { count } from '#lab/step';
import type { Stack } from '#lab/stack';
import type { HistoryLine } from '#lab/step';
import { findStrategy } from '#lab/strategy';
import {
  judgeMinute,
  judgeSoak,
  unfinished,
  type Evidence,
  type MinuteVerdict,
  type Sample,
  type SoakVerdict,
} from '#lab/verdict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Target } from '../run';
import { BuyerPool, type BalanceSales } from './buyer-pool';
import { allowed } from './kinds';
import { lookAt } from './look';
import type { PlannedMinute, SoakPlan } from './plan';
import { byBalance, isProcessLine, Logs, Records } from './records';
import { doToServer, feltBy, type Done } from './server-faults';

/** What a soak runs on. */
export interface SoakEnvironment {
  readonly stack: Stack;
  readonly target: Target;
  /** The folder of the stack, with its logs. */
  readonly dir: string;
  /** Ends the soak after the step that is under way. */
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** `lines` is the history that the minute was judged by. */
  readonly onMinute: (minute: MinuteVerdict, lines: readonly HistoryLine[]) => void;
}

export interface SoakRun {
  readonly plan: SoakPlan;
  readonly minutes: readonly MinuteVerdict[];
  readonly samples: readonly Sample[];
  readonly verdict: SoakVerdict;
}

/** Milliseconds within which everything must have come to rest, and the last lease be over. */
const REST_MS = 40_000;
const LOOK_EVERY_MS = 200;
const TELL_EVERY_MS = 2000;

/** Runs a plan minute by minute; each is judged at rest. */
export async function runSoak(ground: SoakEnvironment, plan: SoakPlan): Promise<SoakRun> {
  const records = new Records(ground.stack.historyDir);
  const logs = new Logs(join(ground.dir, 'logs'));
  const begun = performance.now();
  const minutes: MinuteVerdict[] = [];
  const samples: Sample[] = [];
  for (const planned of plan.minutes) {
    ground.signal.throwIfAborted();
    const { crowds, done } = await play(ground, planned, plan);
    await atRest(ground, records, planned);
    const reconciled = await reconcileOrders(ground);
    const lines = records.read();
    const histories = byBalance(lines);
    const balances = [];
    for (const sold of crowds.flatMap((buyers) => buyers.sold)) {
      const evidence = await gather(ground.target, sold, histories.get(sold.sku) ?? []);
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
    ground.onMinute(verdict, lines);
    records.clear();
    for (const replica of await ground.stack.replicas())
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

/** Lets buyers come and faults happen, each at its time; resolves when every buyer has its answer. */
async function play(
  { stack, target, signal, onProgress }: SoakEnvironment,
  { number, seconds, balances, faults }: PlannedMinute,
  { seed, minutes }: SoakPlan,
): Promise<{ crowds: readonly BuyerPool[]; done: readonly Done[] }> {
  const agent = new Agent({ connections: 64 });
  const open = (sku: string, stock: number): Promise<unknown> => target.reset(sku, stock);
  const crowds = balances.map(
    (balance, i) => new BuyerPool(balance, `soak${seed}-${number}-${i + 1}`, target.labUrl, agent, open),
  );
  const begun = performance.now();
  const sinceMs = (): number => performance.now() - begun;
  const tell = setInterval(() => {
    const sold = crowds.flatMap((buyers) => buyers.sold).flatMap(({ answers }) => answers).length;
    onProgress(
      `minute ${number} of ${minutes.length}: ${Math.round(sinceMs() / 1000)} s, ${count(sold, 'answer')}`,
    );
  }, TELL_EVERY_MS);
  const buying = Promise.all(crowds.map((buyers) => buyers.buy()));
  const done: Done[] = [];
  try {
    for (const { at, kind, carried, server } of faults) {
      await delay(Math.max(0, at - sinceMs()), undefined, { signal });
      if (carried !== undefined) crowds[carried.balance]?.hit(carried.header);
      if (server !== undefined) done.push(await doToServer(stack, kind, server));
    }
    await delay(Math.max(0, 1000 * seconds - sinceMs()), undefined, { signal });
  } finally {
    for (const buyers of crowds) buyers.stop();
    await buying;
    clearInterval(tell);
    await agent.destroy();
  }
  return { crowds, done };
}

/** Resolves when all servers and replicas answer, no request is under way, and no lease can go on. */
async function atRest(
  { stack, signal }: SoakEnvironment,
  records: Records,
  { balances }: PlannedMinute,
): Promise<void> {
  await stack.ready();
  const until = performance.now() + REST_MS;
  while (unfinished(records.read()).length > 0 && performance.now() < until)
    await delay(LOOK_EVERY_MS, undefined, { signal });
  await delay(Math.max(0, ...balances.map(({ options }) => options.leaseMs)), undefined, { signal });
}

/** Orders that replicas left half-way come to their end. False: after all that time some are still not decided. */
async function reconcileOrders({ target, signal }: SoakEnvironment): Promise<boolean> {
  const until = performance.now() + REST_MS;
  while (!(await target.reconcileOrders().catch(() => false))) {
    if (performance.now() > until) return false;
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
  return true;
}

async function gather(
  target: Target,
  { sku, strategy, stock, answers }: BalanceSales,
  history: readonly HistoryLine[],
): Promise<Evidence> {
  const [product, movements, segments, orders, locks] = await Promise.all([
    target.product(sku),
    target.movements(sku),
    target.segments(sku),
    target.orders(sku),
    target.locks(sku),
  ]);
  return {
    sku,
    strategy,
    replicas: 2,
    faults: [],
    initial: stock,
    finalStock: product.stock,
    movements,
    segments,
    orders,
    locks,
    history,
    answers,
  };
}

import { startProcesses, type Conditions } from '#lab/stack';
import { countCommands } from '#load-tests/limits';
import { Redis } from 'ioredis';
import { join } from 'node:path';
import { median } from '#load-tests/figures';
import { GUARD_CONTENDERS, type Decide, type GuardContender } from './contenders';

export interface GuardBenchOptions {
  readonly repeats: number;
  /** Duration of one measurement, milliseconds. */
  readonly measureMs: number;
  readonly dir: string;
  readonly signal?: AbortSignal;
  readonly onStart: (stop: () => Promise<void>) => void;
  readonly onProgress: (text: string) => void;
}

/** Medians over all repeats of one contender. */
export interface GuardResult extends Pick<GuardContender, 'name' | 'kind'> {
  readonly decisionsPerSecond: number;
  readonly p99Ms: number;
  /** Decisions/s divided by those of ioredis with the same commands, in the same repeat; absent: there is no such contender. */
  readonly ofBare?: number;
  /** Decisions/s divided by those of the fastest npm package, in the same repeat. */
  readonly ofFastestPeer: number;
  /** Per decision: commands that were sent (MONITOR), and executed, also inside of scripts (INFO commandstats). */
  readonly sent: number;
  readonly executed: number;
}

export interface GuardBenchResult {
  readonly results: readonly GuardResult[];
  readonly conditions: Conditions;
}

/** Decisions at the same time, about so many clients in turn. */
const AT_ONCE = 64;
const CLIENTS = 100;
const WARM_UP_MS = 300;
/** Decisions about which commands are counted. */
const COUNTED = 1000;

interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Measures every contender once per repeat, so that changes in the load of the machine affect all of them. */
export async function benchGuards(options: GuardBenchOptions): Promise<GuardBenchResult> {
  const { repeats, measureMs, signal, onProgress } = options;
  onProgress('starting Redis');
  const stack = await startProcesses({
    dir: join(options.dir, `bench-guards-${process.pid}`),
    replicas: { order: 0, inventory: 0 },
    lab: false,
    ...(signal && { signal }),
  });
  options.onStart(() => stack.stop());
  const redis = new Redis(stack.urls.redis);
  const runs: Map<string, Measured>[] = [];
  for (let i = 1; i <= repeats; i++) {
    const run = new Map<string, Measured>();
    for (const contender of GUARD_CONTENDERS) {
      signal?.throwIfAborted();
      onProgress(`run ${i} of ${repeats}: ${contender.name}`);
      await redis.flushall();
      run.set(
        contender.name,
        await opened(contender, stack.urls.redis, (decide) => measure(decide, measureMs)),
      );
    }
    runs.push(run);
  }
  const results: GuardResult[] = [];
  for (const contender of GUARD_CONTENDERS) {
    onProgress(`counting commands: ${contender.name}`);
    await redis.flushall();
    const counts = await opened(contender, stack.urls.redis, (decide) => count(redis, decide));
    results.push({ ...resultOf(contender, runs), ...counts });
  }
  const conditions = { ...(await stack.conditions()), repeats, measureMs, atOnce: AT_ONCE, clients: CLIENTS };
  redis.disconnect();
  await stack.stop();
  return { results, conditions };
}

async function opened<T>(
  contender: GuardContender,
  url: string,
  use: (decide: Decide) => Promise<T>,
): Promise<T> {
  const { decide, close } = await contender.open(url);
  try {
    return await use(decide);
  } finally {
    close();
  }
}

async function measure(decide: Decide, measureMs: number): Promise<Measured> {
  const begun = performance.now();
  const from = begun + WARM_UP_MS;
  const until = from + measureMs;
  const took: number[] = [];
  let next = 0;
  const repeat = async (): Promise<void> => {
    for (let at = performance.now(); at < until;) {
      await decide(`client-${next++ % CLIENTS}`);
      const now = performance.now();
      if (at >= from && now < until) took.push(now - at);
      at = now;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, repeat));
  took.sort((a, b) => a - b);
  return {
    perSecond: (1000 * took.length) / measureMs,
    p99Ms: took[Math.ceil(0.99 * took.length) - 1] ?? NaN,
  };
}

async function count(redis: Redis, decide: Decide): Promise<Pick<GuardResult, 'sent' | 'executed'>> {
  await decide('client-warm'); // loads a script that Redis does not know yet
  const { sent, executed } = await countCommands(redis, 'client-', async () => {
    for (let i = 0; i < COUNTED; i++) await decide(`client-${i % 5}`);
  });
  return { sent: sent / COUNTED, executed: executed / COUNTED };
}

function resultOf(
  { name, kind }: GuardContender,
  runs: readonly Map<string, Measured>[],
): Omit<GuardResult, 'sent' | 'executed'> {
  const speed = (run: Map<string, Measured>, of: string): number => run.get(of)?.perSecond ?? NaN;
  const peers = GUARD_CONTENDERS.filter((contender) => contender.kind === 'peer');
  const fastestPeer = (run: Map<string, Measured>): number =>
    Math.max(...peers.map((peer) => speed(run, peer.name)));
  const twin = GUARD_CONTENDERS.find(({ of }) => of === name);
  return {
    name,
    kind,
    decisionsPerSecond: median(runs.map((run) => speed(run, name))),
    p99Ms: median(runs.map((run) => run.get(name)?.p99Ms ?? NaN)),
    ...(twin !== undefined && {
      ofBare: median(runs.map((run) => speed(run, name) / speed(run, twin.name))),
    }),
    ofFastestPeer: median(runs.map((run) => speed(run, name) / fastestPeer(run))),
  };
}

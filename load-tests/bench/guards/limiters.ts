import { limitOf } from '#lab/limit';
import { countCommands } from '#load-tests/limits';
import { median, percentile } from '#load-tests/figures';
import { Redis } from 'ioredis';
import { LIMIT, LIMITER_CONTENDERS, type Decide, type LimiterContender } from './contenders';
import { mostAdmitted, type MostAdmitted } from './correctness';

/** Medians over all repeats of one contender. */
export interface LimiterResult extends Pick<LimiterContender, 'name' | 'kind'> {
  readonly promise: 'own window' | 'any window';
  readonly promised: number;
  /** Absent for bare ioredis, which decides nothing. */
  readonly most?: MostAdmitted;
  /** It admitted no more than it promises. */
  readonly isCorrect: boolean;
  readonly decisionsPerSecond: number;
  readonly p99Ms: number;
  /** Decisions/s divided by those of ioredis with the same commands, in the same repeat; absent: there is no such contender. */
  readonly ofBare?: number;
  /** Divided by those of the fastest package with the same promise that decides correctly; NaN: there is none. */
  readonly ofPeer: number;
  /** Divided by those of the fastest package that decides correctly, whatever its promise. */
  readonly ofAnyPeer: number;
  /** Per decision: commands that were sent (MONITOR), and executed, also inside of scripts (INFO commandstats). */
  readonly sent: number;
  readonly executed: number;
}

export interface LimiterBench {
  readonly url: string;
  readonly repeats: number;
  readonly measureMs: number;
  readonly signal?: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** Decisions at the same time, about so many clients in turn. */
export const AT_ONCE = 64;
export const CLIENTS = 100;
const WARM_UP_MS = 300;
/** Decisions about which commands are counted. */
const COUNTED = 1000;

interface Speed {
  readonly perSecond: number;
  readonly p99Ms: number;
}

type Checked = LimiterContender & Pick<LimiterResult, 'most' | 'isCorrect' | 'promise' | 'promised'>;
type Run = ReadonlyMap<string, Speed>;

/** Measures every contender once per repeat, so that changes in the load of the machine affect all of them. */
export async function benchLimiters({
  url,
  repeats,
  measureMs,
  signal,
  onProgress,
}: LimiterBench): Promise<LimiterResult[]> {
  const redis = new Redis(url);
  try {
    const checked: Checked[] = [];
    for (const contender of LIMITER_CONTENDERS) {
      signal?.throwIfAborted();
      onProgress(`deciding at the edge of a window: ${contender.name}`);
      await redis.flushall();
      checked.push(await check(contender, url));
    }
    const runs: Run[] = [];
    for (let i = 1; i <= repeats; i++) {
      const run = new Map<string, Speed>();
      for (const contender of checked) {
        signal?.throwIfAborted();
        onProgress(`run ${i} of ${repeats}: ${contender.name}`);
        await redis.flushall();
        run.set(contender.name, await opened(contender, url, (decide) => measure(decide, measureMs)));
      }
      runs.push(run);
    }
    const results: LimiterResult[] = [];
    for (const contender of checked) {
      onProgress(`counting commands: ${contender.name}`);
      await redis.flushall();
      const counts = await opened(contender, url, (decide) => count(redis, decide));
      results.push({ ...resultOf(contender, checked, runs), ...counts });
    }
    return results;
  } finally {
    redis.disconnect();
  }
}

async function opened<T>(
  contender: LimiterContender,
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

/** Finds out whether it decides correctly under its own promise. */
async function check(contender: LimiterContender, url: string): Promise<Checked> {
  const { limiter, kind } = contender;
  const isFixed = limiter.fixedWindow === true;
  const promise = isFixed ? 'own window' : 'any window';
  const promised = limiter.promise(limitOf(limiter, LIMIT));
  if (kind === 'bare') return { ...contender, promise, promised, isCorrect: false };
  const most = await opened(contender, url, (one) =>
    opened(contender, url, (other) => mostAdmitted([one, other], LIMIT)),
  );
  const isCorrect = (isFixed ? most.ownWindow : most.anyWindow) <= promised;
  return { ...contender, promise, promised, most, isCorrect };
}

async function measure(decide: Decide, measureMs: number): Promise<Speed> {
  const from = performance.now() + WARM_UP_MS;
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
  return {
    perSecond: (1000 * took.length) / measureMs,
    p99Ms: percentile(
      took.sort((a, b) => a - b),
      0.99,
    ),
  };
}

async function count(redis: Redis, decide: Decide): Promise<Pick<LimiterResult, 'sent' | 'executed'>> {
  await decide('client-warm'); // loads a script that Redis does not know yet
  const { sent, executed } = await countCommands(redis, 'client-', async () => {
    for (let i = 0; i < COUNTED; i++) await decide(`client-${i % 5}`);
  });
  return { sent: sent / COUNTED, executed: executed / COUNTED };
}

function resultOf(
  { name, kind, limiter, promise, promised, most, isCorrect }: Checked,
  all: readonly Checked[],
  runs: readonly Run[],
): Omit<LimiterResult, 'sent' | 'executed'> {
  const speed = (run: Run, of: string): number => run.get(of)?.perSecond ?? NaN;
  const ratioTo = (rivals: readonly Checked[]): number =>
    rivals.length === 0
      ? NaN
      : median(
          runs.map((run) => speed(run, name) / Math.max(...rivals.map((rival) => speed(run, rival.name)))),
        );
  const peers = all.filter((one) => one.kind === 'peer' && one.isCorrect);
  const twin = all.filter((one) => one.kind === 'bare' && one.limiter === limiter);
  return {
    name,
    kind,
    promise,
    promised,
    ...(most !== undefined && { most }),
    isCorrect,
    decisionsPerSecond: median(runs.map((run) => speed(run, name))),
    p99Ms: median(runs.map((run) => run.get(name)?.p99Ms ?? NaN)),
    ...(kind === 'ours' && twin.length > 0 && { ofBare: ratioTo(twin) }),
    ofPeer: ratioTo(peers.filter((peer) => peer.promise === promise)),
    ofAnyPeer: ratioTo(peers),
  };
}

import { withRedis, type StartedRedis, type FaultProxy } from '#lab/stack';
import { monotonic } from '#lab/step';
import type { Expectation } from '#lab/strategy';
import type { Buyer, Step } from '../buyer';
import { OVERSOLD, type Drill } from '../drill';
import { after, before } from '../messages';
import type { DrillEnvironment } from '../drill-environment';
import { ownerAt } from './one-redis';

const LEASE_MS = 1500;

interface Holder {
  readonly strategy: string;
  readonly shows: string;
  /** A's outcome. */
  readonly outcome: string;
  readonly expected?: Expectation;
}

const HOLDERS: readonly Holder[] = [
  {
    strategy: 'token-lua',
    shows: 'A does not check the lock again before it writes: both sell',
    outcome: 'APPLIED',
    expected: OVERSOLD,
  },
  {
    strategy: 'watchdog-naive',
    shows: "A's timer cannot renew the lease, and A does not check the timer: both sell",
    outcome: 'APPLIED',
    expected: OVERSOLD,
  },
  {
    strategy: 'watchdog',
    shows: 'A detects by its own clock that its lease has ended, and does not write',
    outcome: 'LOCK.LOST',
  },
  {
    strategy: 'fenced',
    shows: 'A does not notice the loss, and the row refuses its token',
    outcome: 'LOCK.FENCED',
  },
];

/** Failures of the network between A and Redis; other connections are not affected. */
const CUTS = {
  'black-hole': {
    shows: 'all data between A and Redis is dropped',
    cut: (faultProxy: FaultProxy) => {
      faultProxy.swallow();
    },
  },
  reset: {
    shows: "A's connections and all new ones are reset",
    cut: (faultProxy: FaultProxy) => {
      faultProxy.cut();
    },
  },
} as const;
type Cut = (typeof CUTS)[keyof typeof CUTS];

/** Milliseconds between two times in microseconds. */
const ms = (from: number, to: number): string => ((to - from) / 1000).toFixed(0);

/** When the lock expires at the server, CLOCK_MONOTONIC in microseconds. */
async function endOfLease({ url }: StartedRedis, key: string): Promise<number> {
  return withRedis(url, async (redis) => {
    const sentAt = monotonic();
    return sentAt + 1000 * (await redis.pttl(key));
  });
}

const answeredAt = (step: Step | undefined): number => (step === undefined ? NaN : step.at + step.took);

/** Records the times of A's and B's key events relative to the lease's end, as their own processes saw them. */
function recordTimes(env: DrillEnvironment, A: Buyer, B: Buyer, cutAt: number, end: number): void {
  const failed = A.steps.find(({ kind, at, error }) => kind === 'redis' && at > cutAt && error !== undefined);
  const took = B.steps.find(
    ({ kind, error, reply }) => kind === 'redis' && error === undefined && Boolean(reply),
  );
  const sold = B.answered('COMMIT');
  if (failed === undefined) env.figure("A's first failed command", 'none before its end');
  else env.figure("A's first failed command, ms after the lease's end", ms(end, answeredAt(failed)));
  env.figure("B gets the lock, ms after the lease's end", ms(end, answeredAt(took)));
  env.figure("B's COMMIT, ms after the lease's end", ms(end, answeredAt(sold)));
  env.figure("end of A's work, ms after the lease's end", ms(end, answeredAt(A.answered('WORK'))));
  env.figure(`A receives ${A.outcome ?? 'no outcome'}, ms after the lease's end`, ms(end, A.endedAt ?? NaN));
}

/** A has the lock and is at work; its network fails; B waits for the lease to end, and buys; A's work ends. */
const play =
  ({ cut }: Cut, { outcome }: Holder) =>
  async (env: DrillEnvironment): Promise<void> => {
    const redis = await env.park.redis('redis');
    const { faultProxy, url } = await env.park.faultProxy(redis.url);
    const A = await env.buyer('A', { redis: url, options: { workMs: 1 } });
    const B = await env.buyer('B', { redis: redis.url });
    await A.runUntil(before('WORK'));
    cut(faultProxy);
    const cutAt = monotonic();
    env.note('network', 'the connection between A and Redis fails');
    const end = await endOfLease(redis, env.lockKey);
    const first = await ownerAt(redis, env.lockKey);
    env.fact('A holds the lock', first !== null);
    await B.runUntil(before('UPDATE'));
    const second = await ownerAt(redis, env.lockKey);
    env.fact('its lease has ended, and B holds the lock', second !== null && second !== first);
    await B.finish();
    await A.finish();
    env.fact(`the outcome of A is ${outcome}`, A.outcome === outcome);
    recordTimes(env, A, B, cutAt, end);
  };

/** Requests arrive, replies do not: A's SET fails with DEPENDENCY.DOWN, although Redis has taken the lock for A. */
async function repliesLost(env: DrillEnvironment): Promise<void> {
  const redis = await env.park.redis('redis');
  const { faultProxy, url } = await env.park.faultProxy(redis.url);
  const A = await env.buyer('A', { redis: url });
  const B = await env.buyer('B', { redis: redis.url });
  await A.runUntil(before('SET'));
  faultProxy.swallow('replies');
  env.note('network', 'all replies of Redis to A are lost from now on');
  await A.finish();
  env.fact('A receives the error that Redis is down', A.outcome === 'DEPENDENCY.DOWN');
  const end = await endOfLease(redis, env.lockKey);
  const owner = await ownerAt(redis, env.lockKey);
  const request = A.steps.find(({ verb }) => verb === 'SET');
  env.fact(
    "Redis executed A's SET, and the lock is held although A has given up",
    owner !== null && request?.text.includes(owner) === true,
  );
  env.figure('ms for which the lock stays held after A gave up', ms(A.endedAt ?? NaN, end));
  await B.runUntil(after('SET'));
  env.figure("B gets the lock, ms after the lease's end", ms(end, answeredAt(B.answered('SET'))));
  await B.finish();
}

export const NETWORK_CUT: readonly Drill[] = [
  ...Object.entries(CUTS).flatMap(([kind, cut]) =>
    HOLDERS.map((holder) => ({
      name: `${kind}/${holder.strategy}`,
      shows: `${cut.shows}; ${holder.shows}`,
      certainBy:
        'A is held in its work until B has sold; B connects to Redis directly, not through the failing network',
      strategy: holder.strategy,
      options: { leaseMs: LEASE_MS, waitMs: 20_000 },
      ...(holder.expected !== undefined && { expected: holder.expected }),
      play: play(cut, holder),
    })),
  ),
  {
    name: 'replies-lost/token-lua',
    shows: "requests arrive and replies are lost: A's lock excludes B for a whole lease, although A gave up",
    certainBy: "A is held before it requests the lock, and only Redis' replies are dropped",
    strategy: 'token-lua',
    options: { leaseMs: LEASE_MS, waitMs: 20_000 },
    play: repliesLost,
  },
];

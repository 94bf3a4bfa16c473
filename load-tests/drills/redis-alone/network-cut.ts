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
  /** What A is told in the end. */
  readonly told: string;
  readonly expected?: Expectation;
}

const HOLDERS: readonly Holder[] = [
  {
    strategy: 'token-lua',
    shows: 'A does not look at the lock again before it writes: both sell',
    told: 'APPLIED',
    expected: OVERSOLD,
  },
  {
    strategy: 'watchdog-naive',
    shows: "A's timer cannot renew, and nobody asks it: both sell",
    told: 'APPLIED',
    expected: OVERSOLD,
  },
  {
    strategy: 'watchdog',
    shows: 'A knows by its own clock that its lease is over, and does not write',
    told: 'LOCK.LOST',
  },
  {
    strategy: 'fenced',
    shows: 'A knows nothing, and the row refuses its token',
    told: 'LOCK.FENCED',
  },
];

/** How the network fails between A and Redis, and only there. */
const CUTS = {
  'black-hole': {
    shows: 'what A and Redis send each other is swallowed',
    cut: (faultProxy: FaultProxy) => {
      faultProxy.swallow();
    },
  },
  reset: {
    shows: "A's connections are reset, and new ones, too",
    cut: (faultProxy: FaultProxy) => {
      faultProxy.cut();
    },
  },
} as const;
type Cut = (typeof CUTS)[keyof typeof CUTS];

/** Microseconds of two moments as milliseconds between them. */
const ms = (from: number, to: number): string => ((to - from) / 1000).toFixed(0);

/** When the lock at the server will end, CLOCK_MONOTONIC in microseconds. */
async function endOfLease({ url }: StartedRedis, key: string): Promise<number> {
  return withRedis(url, async (redis) => {
    const asked = monotonic();
    return asked + 1000 * (await redis.pttl(key));
  });
}

const answeredAt = (step: Step | undefined): number => (step === undefined ? NaN : step.at + step.took);

/** When each of them knew what, by what their own processes saw and told. */
function views(env: DrillEnvironment, A: Buyer, B: Buyer, cutAt: number, end: number): void {
  const failed = A.steps.find(({ kind, at, error }) => kind === 'redis' && at > cutAt && error !== undefined);
  const took = B.steps.find(
    ({ kind, error, reply }) => kind === 'redis' && error === undefined && Boolean(reply),
  );
  const sold = B.answered('COMMIT');
  if (failed === undefined) env.figure("A's first command that fails", 'none before its end');
  else env.figure("A's first command that fails, ms from the lease's end", ms(end, answeredAt(failed)));
  env.figure("B has the lock, ms from the lease's end", ms(end, answeredAt(took)));
  env.figure("B has sold, ms from the lease's end", ms(end, answeredAt(sold)));
  env.figure("A's work is over, ms from the lease's end", ms(end, answeredAt(A.answered('WORK'))));
  env.figure(`A is told ${A.outcome ?? 'nothing'}, ms from the lease's end`, ms(end, A.endedAt ?? NaN));
}

/** A has the lock and is at work; its network fails; B waits for the lease to end, and buys; A's work is done. */
const play =
  ({ cut }: Cut, { told }: Holder) =>
  async (env: DrillEnvironment): Promise<void> => {
    const redis = await env.park.redis('redis');
    const { faultProxy, url } = await env.park.faultProxy(redis.url);
    const A = await env.buyer('A', { redis: url, options: { workMs: 1 } });
    const B = await env.buyer('B', { redis: redis.url });
    await A.runUntil(before('WORK'));
    cut(faultProxy);
    const cutAt = monotonic();
    env.note('network', 'between A and Redis: gone');
    const end = await endOfLease(redis, env.lockKey);
    const first = await ownerAt(redis, env.lockKey);
    env.fact('A holds the lock', first !== null);
    await B.runUntil(before('UPDATE'));
    const second = await ownerAt(redis, env.lockKey);
    env.fact('its lease has ended, and B holds the lock', second !== null && second !== first);
    await B.finish();
    await A.finish();
    env.fact(`A is told ${told}`, A.outcome === told);
    views(env, A, B, cutAt, end);
  };

/** Requests arrive, replies do not: A is told that Redis is down, and has the lock all the same. */
async function repliesLost(env: DrillEnvironment): Promise<void> {
  const redis = await env.park.redis('redis');
  const { faultProxy, url } = await env.park.faultProxy(redis.url);
  const A = await env.buyer('A', { redis: url });
  const B = await env.buyer('B', { redis: redis.url });
  await A.runUntil(before('SET'));
  faultProxy.swallow('replies');
  env.note('network', 'what Redis answers to A is lost from now on');
  await A.finish();
  env.fact('A is told that Redis is down', A.outcome === 'DEPENDENCY.DOWN');
  const end = await endOfLease(redis, env.lockKey);
  const owner = await ownerAt(redis, env.lockKey);
  const asked = A.steps.find(({ verb }) => verb === 'SET');
  env.fact(
    'Redis has executed what A has asked for: the lock is held for nobody',
    owner !== null && asked?.text.includes(owner) === true,
  );
  env.figure('the lock is held for nobody, ms', ms(A.endedAt ?? NaN, end));
  await B.runUntil(after('SET'));
  env.figure("B has the lock, ms from the lease's end", ms(end, answeredAt(B.answered('SET'))));
  await B.finish();
}

export const NETWORK_CUT: readonly Drill[] = [
  ...Object.entries(CUTS).flatMap(([kind, cut]) =>
    HOLDERS.map((holder) => ({
      name: `${kind}/${holder.strategy}`,
      shows: `${cut.shows}; ${holder.shows}`,
      certainBy: 'A is held at its work until B has sold; B asks Redis past the network that fails',
      strategy: holder.strategy,
      options: { leaseMs: LEASE_MS, waitMs: 20_000 },
      ...(holder.expected !== undefined && { expected: holder.expected }),
      play: play(cut, holder),
    })),
  ),
  {
    name: 'replies-lost/token-lua',
    shows:
      'requests arrive and replies are lost: A believes that it has no lock, and keeps B out for its lease',
    certainBy: 'A is held before it asks for the lock, and only what Redis answers is swallowed',
    strategy: 'token-lua',
    options: { leaseMs: LEASE_MS, waitMs: 20_000 },
    play: repliesLost,
  },
];

import { withRedis, type FakedClock, type StartedRedis } from '#lab/stack';
import { OVERSOLD, type Drill } from '../drill';
import { ownerAt, secondBuyer, WRITE } from './one-redis';
import type { DrillEnvironment } from '../drill-environment';
import { exactMajority, otherMajority, startVoters } from './voters';

/** Longer than the lease, seconds. */
const JUMP_S = 60;
const LEASE_MS = 30_000;

/** Seconds by which the server's clock is ahead of this machine's, according to the server's TIME. */
async function ahead({ url }: StartedRedis): Promise<number> {
  const [seconds, micros] = await withRedis(url, (redis) => redis.time());
  // eslint-disable-next-line no-restricted-properties -- the wall clock: `performance` does not follow when it is set
  return Number(seconds) + Number(micros) / 1e6 - Date.now() / 1000;
}

/** Sets the server's clock ahead by more than the lease, while A has the lock. */
async function jump(env: DrillEnvironment, redis: StartedRedis, clock: FakedClock): Promise<void> {
  const was = await ahead(redis);
  clock.set(JUMP_S);
  const is = await ahead(redis);
  const { name } = redis.server;
  env.note(name, `its clock is set from ${was.toFixed(3)} s to ${is.toFixed(3)} s ahead of this machine's`);
  env.figure('clock ahead, s', `${was.toFixed(2)} → ${is.toFixed(2)}`);
  env.fact(
    `the clock of ${name} was correct and jumped past the end of the lease`,
    Math.abs(was) < 5 && is - was > LEASE_MS / 1000,
  );
}

async function oneRedis(env: DrillEnvironment): Promise<void> {
  const clock = env.park.clock('redis');
  const redis = await env.park.redis('redis', [], clock.env);
  const A = await env.buyer('A', { redis: redis.url });
  await A.runUntil(WRITE);
  const owner = await ownerAt(redis, env.lockKey);
  env.fact('A holds the lock', owner !== null);
  await jump(env, redis, clock);
  await secondBuyer(env, redis, owner, false);
  await A.finish();
}

async function oneVoter(env: DrillEnvironment): Promise<void> {
  const clock = env.park.clock('redis-3');
  const voters = await startVoters(env.park, { clock });
  const majority = await exactMajority(env, voters);
  await jump(env, voters.third, clock);
  await otherMajority(env, voters, majority);
}

const COMMON = {
  certainBy: 'libfaketime sets the clock of this one process while A is held before its write',
  options: { leaseMs: LEASE_MS, waitMs: 0 },
  needs: ['faketime'],
} as const;

export const CLOCK_JUMP: readonly Drill[] = [
  {
    name: 'clock-jump/token-lua',
    shows: "Redis' clock is set a minute ahead: the lease ends at once, two holders",
    strategy: 'token-lua',
    expected: OVERSOLD,
    play: oneRedis,
    ...COMMON,
  },
  {
    name: 'clock-jump/fenced',
    shows: 'the same; the row refuses the older token',
    strategy: 'fenced',
    play: oneRedis,
    ...COMMON,
  },
  {
    name: 'clock-jump/redlock',
    shows: "one voter's clock is set a minute ahead: a second majority, two holders",
    strategy: 'redlock',
    expected: OVERSOLD,
    play: oneVoter,
    ...COMMON,
  },
];

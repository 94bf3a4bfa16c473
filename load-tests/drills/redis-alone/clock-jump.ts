import { withRedis, type FakedClock, type StartedRedis } from '#lab/stack';
import { OVERSOLD, type Drill } from '../drill';
import { ownerAt, secondBuyer, WRITE } from './one-redis';
import type { Stage } from '../stage';
import { exactMajority, otherMajority, startVoters } from './voters';

/** Longer than the lease, seconds. */
const JUMP_S = 60;
const LEASE_MS = 30_000;

/** How far ahead of this machine's clock the server's is, seconds: by what it says itself. */
async function ahead({ url }: StartedRedis): Promise<number> {
  const [seconds, micros] = await withRedis(url, (redis) => redis.time());
  return Number(seconds) + Number(micros) / 1e6 - (performance.timeOrigin + performance.now()) / 1000;
}

/** The server's clock is set ahead by more than the lease, while A has the lock. */
async function jump(stage: Stage, redis: StartedRedis, clock: FakedClock): Promise<void> {
  const was = await ahead(redis);
  clock.set(JUMP_S);
  const is = await ahead(redis);
  const { name } = redis.server;
  stage.note(name, `its clock is set from ${was.toFixed(3)} s to ${is.toFixed(3)} s ahead of this machine's`);
  stage.figure('clock ahead, s', `${was.toFixed(2)} → ${is.toFixed(2)}`);
  stage.fact(
    `the clock of ${name} was right, and has jumped over the end of the lease`,
    Math.abs(was) < 5 && is - was > LEASE_MS / 1000,
  );
}

async function oneRedis(stage: Stage): Promise<void> {
  const clock = stage.park.clock('redis');
  const redis = await stage.park.redis('redis', [], clock.env);
  const A = await stage.buyer('A', { redis: redis.url });
  await A.runUntil(WRITE);
  const owner = await ownerAt(redis, stage.lockKey);
  stage.fact('A holds the lock', owner !== null);
  await jump(stage, redis, clock);
  await secondBuyer(stage, redis, owner, false);
  await A.finish();
}

async function oneVoter(stage: Stage): Promise<void> {
  const clock = stage.park.clock('redis-3');
  const voters = await startVoters(stage.park, { clock });
  const majority = await exactMajority(stage, voters);
  await jump(stage, voters.third, clock);
  await otherMajority(stage, voters, majority);
}

const COMMON = {
  certainBy: 'libfaketime sets the clock of this one process while A stands before its write',
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

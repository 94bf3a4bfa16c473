import { withRedis, type StartedRedis } from '#lab/stack';
import { monotonic, count } from '#lab/step';
import type { Expectation } from '#lab/strategy';
import { append, AppendOnlyFile, type Fsync } from './append-only-file';
import { OVERSOLD, type Drill } from '../drill';
import { after, before } from '../messages';
import { killAndRestart, ownerAt, secondBuyer, WRITE } from './one-redis';
import type { Buyer } from '../buyer';
import type { DrillEnvironment } from '../drill-environment';

interface PowerLoss {
  readonly variant: string;
  readonly shows: string;
  readonly strategy: string;
  /** The command that takes the lock. */
  readonly takes: string;
  readonly fsync: Fsync;
  readonly expected?: Expectation;
}

const POWER_LOSSES: readonly PowerLoss[] = [
  {
    variant: 'aof-everysec',
    shows: 'fsync once a second, and the power fails before: the lock is gone, two holders (simulated)',
    strategy: 'token-lua',
    takes: 'SET',
    fsync: 'everysec',
    expected: OVERSOLD,
  },
  {
    variant: 'aof-everysec-fenced',
    shows: 'the same; the row refuses a token that it has seen (simulated)',
    strategy: 'fenced',
    takes: 'acquire-with-fence',
    fsync: 'everysec',
  },
  {
    variant: 'aof-always',
    shows: 'fsync before every answer: who has heard that the lock is his has it on the disk (simulated)',
    strategy: 'token-lua',
    takes: 'SET',
    fsync: 'always',
  },
];

/** How many bytes of the file the disk has when A has heard that the lock is his. From then on Redis stands still. */
async function takeTheLock(
  env: DrillEnvironment,
  { fsync, takes }: PowerLoss,
  A: Buyer,
  redis: StartedRedis,
): Promise<{ readonly owner: string | null; readonly synced: number; readonly file: AppendOnlyFile }> {
  const file = await AppendOnlyFile.of(redis);
  await A.runUntil(before(takes));
  const last = fsync === 'everysec' ? await file.rightAfterFsync() : undefined;
  await A.runUntil(after(takes));
  const owner = await ownerAt(redis, env.lockKey);
  env.fact('A holds the lock', owner !== null);
  const mode = await withRedis(redis.url, (client) => client.config('GET', 'appendfsync'));
  const { runsOfFsyncThread } = file; // a stop is a run, too
  await redis.server.pause();
  const stoodStillAt = monotonic();
  env.note('redis', 'stands still');
  if (last === undefined) {
    env.fact('Redis fsyncs before it answers', Array.isArray(mode) && mode[1] === 'always');
    return { owner, synced: file.size, file };
  }
  env.fact('the lock is in the file', file.size > last.size);
  env.fact('the thread that fsyncs has not run since', runsOfFsyncThread === last.runs);
  env.fact('the second, in which it runs but once, was not over', stoodStillAt < last.secondEndsAt);
  return { owner, synced: last.size, file };
}

/** A has the lock and stands before its write; the power fails; B comes; A goes on. */
const play =
  (one: PowerLoss) =>
  async (env: DrillEnvironment): Promise<void> => {
    const redis = await env.park.redis('redis', append(one.fsync));
    const A = await env.buyer('A', { redis: redis.url });
    const { owner, synced, file } = await takeTheLock(env, one, A, redis);
    await A.runUntil(WRITE);
    env.figure('written, not fsynced, bytes', file.size - synced);
    await killAndRestart(env, redis, () => {
      file.cutTo(synced);
      env.note('redis', `has ${count(synced, 'byte')} of its file left`);
    });
    await secondBuyer(env, redis, owner, one.fsync === 'always');
    await A.finish();
  };

export const POWER_LOSS: readonly Drill[] = POWER_LOSSES.map((one) => ({
  name: `power-loss/${one.variant}`,
  shows: one.shows,
  certainBy:
    'the file is cut to what was fsynced last: once a second by a thread whose runs the kernel counts, or before every answer',
  strategy: one.strategy,
  options: { leaseMs: 30_000, waitMs: 0 },
  ...(one.expected !== undefined && { expected: one.expected }),
  play: play(one),
}));

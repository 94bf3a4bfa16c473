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
    shows: 'fsync once a second, and the power fails before it: the lock is lost, two holders (simulated)',
    strategy: 'token-lua',
    takes: 'SET',
    fsync: 'everysec',
    expected: OVERSOLD,
  },
  {
    variant: 'aof-everysec-fenced',
    shows: 'the same, but the row refuses a repeated token (simulated)',
    strategy: 'fenced',
    takes: 'acquire-with-fence',
    fsync: 'everysec',
  },
  {
    variant: 'aof-always',
    shows: 'fsync before every reply: a holder that received the reply has its lock on the disk (simulated)',
    strategy: 'token-lua',
    takes: 'SET',
    fsync: 'always',
  },
];

/** A takes the lock, then Redis is paused. `synced`: bytes of the file that were on the disk when A got the reply. */
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
  const { runsOfFsyncThread } = file; // read before the pause, which causes a context switch as well
  await redis.server.pause();
  const pausedAt = monotonic();
  env.note('redis', 'paused');
  if (last === undefined) {
    env.fact('Redis fsyncs before it replies', Array.isArray(mode) && mode[1] === 'always');
    return { owner, synced: file.size, file };
  }
  env.fact('the lock is in the file', file.size > last.size);
  env.fact('the fsync thread has not run since', runsOfFsyncThread === last.runs);
  env.fact(
    'Redis was paused within the same second, in which that thread runs only once',
    pausedAt < last.secondEndsAt,
  );
  return { owner, synced: last.size, file };
}

/** A has the lock and is held before its write; the power fails; B starts; A continues. */
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
      env.note('redis', `its file is truncated to ${count(synced, 'byte')}`);
    });
    await secondBuyer(env, redis, owner, one.fsync === 'always');
    await A.finish();
  };

export const POWER_LOSS: readonly Drill[] = POWER_LOSSES.map((one) => ({
  name: `power-loss/${one.variant}`,
  shows: one.shows,
  certainBy:
    'the file is truncated to the last fsync: once a second by a thread whose runs the kernel counts, or before every reply',
  strategy: one.strategy,
  options: { leaseMs: 30_000, waitMs: 0 },
  ...(one.expected !== undefined && { expected: one.expected }),
  play: play(one),
}));

import { withRedis, type StartedRedis } from '#lab/stack';
import type { Expectation } from '#lab/strategy';
import { append } from './append-only-file';
import { OVERSOLD, type Drill } from '../drill';
import { info, killAndRestart, ownerAt, secondBuyer, WRITE } from './one-redis';
import type { DrillEnvironment } from '../drill-environment';

/** Arguments of a redis-server that takes a snapshot one hour after a write. */
const SNAPSHOTS = ['--save', '3600 1'];

interface Restart {
  readonly variant: string;
  readonly shows: string;
  readonly strategy: string;
  readonly args: readonly string[];
  /** A snapshot is taken while A holds the lock. */
  readonly saved?: true;
  /** The lock exists after the restart. */
  readonly survives?: true;
  readonly expected?: Expectation;
}

const RESTARTS: readonly Restart[] = [
  {
    variant: 'none',
    shows: 'Redis without persistence is killed and restarts empty: two holders',
    strategy: 'token-lua',
    args: [],
    expected: OVERSOLD,
  },
  {
    variant: 'none-fenced',
    shows: 'the same; the token counter is lost as well, and the row refuses the repeated token',
    strategy: 'fenced',
    args: [],
  },
  {
    variant: 'rdb',
    shows: 'snapshots, but none since A took the lock: two holders',
    strategy: 'token-lua',
    args: SNAPSHOTS,
    expected: OVERSOLD,
  },
  {
    variant: 'rdb-saved',
    shows: 'a snapshot happened to be taken after A took the lock: B is refused',
    strategy: 'token-lua',
    args: SNAPSHOTS,
    saved: true,
    survives: true,
  },
  {
    variant: 'aof-everysec',
    shows: 'append-only file with fsync once a second: written data survives the process, fsynced or not',
    strategy: 'token-lua',
    args: append('everysec'),
    survives: true,
  },
  {
    variant: 'aof-always',
    shows: 'append-only file with fsync before every reply: no difference when only the process is killed',
    strategy: 'token-lua',
    args: append('always'),
    survives: true,
  },
];

/** Records the state of Redis' persistence before it is killed. */
async function recordPersistence(
  env: DrillEnvironment,
  redis: StartedRedis,
  isSaved: boolean,
): Promise<void> {
  const {
    rdb_changes_since_last_save: changes = '?',
    aof_enabled: appends,
    aof_buffer_length: unwritten,
  } = await info(redis, 'persistence');
  env.figure('changes since the last snapshot', changes);
  if (appends === '1') env.fact('Redis has written all acknowledged data to its file', unwritten === '0');
  else
    env.fact(
      isSaved ? 'the lock is in a snapshot' : 'the lock is not in a snapshot',
      (changes === '0') === isSaved,
    );
}

/** A has the lock and is held before its write; Redis is killed and restarted; B starts; A continues. */
const play =
  ({ args, saved, survives }: Restart) =>
  async (env: DrillEnvironment): Promise<void> => {
    const redis = await env.park.redis('redis', args);
    const A = await env.buyer('A', { redis: redis.url });
    await A.runUntil(WRITE);
    const owner = await ownerAt(redis, env.lockKey);
    env.fact('A holds the lock', owner !== null);
    if (saved === true) await withRedis(redis.url, (client) => client.save());
    await recordPersistence(env, redis, saved === true);
    await killAndRestart(env, redis);
    await secondBuyer(env, redis, owner, survives === true);
    await A.finish();
  };

export const RESTART: readonly Drill[] = RESTARTS.map((one) => ({
  name: `restart/${one.variant}`,
  shows: one.shows,
  certainBy: 'A is held before its write while Redis is killed by SIGKILL and restarted',
  strategy: one.strategy,
  options: { leaseMs: 30_000, waitMs: 0 },
  ...(one.expected !== undefined && { expected: one.expected }),
  play: play(one),
}));

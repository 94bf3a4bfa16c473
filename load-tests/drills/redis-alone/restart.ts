import { withRedis, type StartedRedis } from '#lab/stack';
import type { Expectation } from '#lab/strategy';
import { append } from './append-only-file';
import { OVERSOLD, type Drill } from '../drill';
import { info, killAndRestart, ownerAt, secondBuyer, WRITE } from './one-redis';
import type { DrillEnvironment } from '../drill-environment';

/** Arguments of a redis-server that takes a snapshot an hour after a write. */
const SNAPSHOTS = ['--save', '3600 1'];

interface Restart {
  readonly variant: string;
  readonly shows: string;
  readonly strategy: string;
  readonly args: readonly string[];
  /** A snapshot is taken while A holds the lock. */
  readonly saved?: true;
  /** The lock is there after the restart. */
  readonly survives?: true;
  readonly expected?: Expectation;
}

const RESTARTS: readonly Restart[] = [
  {
    variant: 'none',
    shows: 'Redis without persistence is killed and comes back empty: two holders',
    strategy: 'token-lua',
    args: [],
    expected: OVERSOLD,
  },
  {
    variant: 'none-fenced',
    shows: 'the same; the counter of the tokens is gone, too, and the row refuses the token that it has seen',
    strategy: 'fenced',
    args: [],
  },
  {
    variant: 'rdb',
    shows: 'snapshots, and none since A has the lock: two holders',
    strategy: 'token-lua',
    args: SNAPSHOTS,
    expected: OVERSOLD,
  },
  {
    variant: 'rdb-saved',
    shows: 'a snapshot was taken after A had got the lock, by luck: B is refused',
    strategy: 'token-lua',
    args: SNAPSHOTS,
    saved: true,
    survives: true,
  },
  {
    variant: 'aof-everysec',
    shows: 'the append-only file, fsync once a second: what was written survives the process, fsynced or not',
    strategy: 'token-lua',
    args: append('everysec'),
    survives: true,
  },
  {
    variant: 'aof-always',
    shows: 'the append-only file, fsync before every answer: no difference when only the process dies',
    strategy: 'token-lua',
    args: append('always'),
    survives: true,
  },
];

/** What Redis says of its files before it is killed. */
async function stateOfTheFiles(env: DrillEnvironment, redis: StartedRedis, isSaved: boolean): Promise<void> {
  const {
    rdb_changes_since_last_save: changes = '?',
    aof_enabled: appends,
    aof_buffer_length: unwritten,
  } = await info(redis, 'persistence');
  env.figure('changes since the last snapshot', changes);
  if (appends === '1') env.fact('Redis has written to its file all that it has answered', unwritten === '0');
  else env.fact(`the lock is ${isSaved ? '' : 'not '}in a snapshot`, (changes === '0') === isSaved);
}

/** A has the lock and stands before its write; Redis is killed and started again; B comes; A goes on. */
const play =
  ({ args, saved, survives }: Restart) =>
  async (env: DrillEnvironment): Promise<void> => {
    const redis = await env.park.redis('redis', args);
    const A = await env.buyer('A', { redis: redis.url });
    await A.runUntil(WRITE);
    const owner = await ownerAt(redis, env.lockKey);
    env.fact('A holds the lock', owner !== null);
    if (saved === true) await withRedis(redis.url, (client) => client.save());
    await stateOfTheFiles(env, redis, saved === true);
    await killAndRestart(env, redis);
    await secondBuyer(env, redis, owner, survives === true);
    await A.finish();
  };

export const RESTART: readonly Drill[] = RESTARTS.map((one) => ({
  name: `restart/${one.variant}`,
  shows: one.shows,
  certainBy: 'A stands before its write while Redis is killed by SIGKILL and started again',
  strategy: one.strategy,
  options: { leaseMs: 30_000, waitMs: 0 },
  ...(one.expected !== undefined && { expected: one.expected }),
  play: play(one),
}));

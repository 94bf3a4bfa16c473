import { BALANCE_MIGRATIONS, Balances } from '#lab/balance';
import { LockFolder, Servers, SteppedDataSource, SteppedRedis, type ServerAddresses } from '#lab/step';
import { loadScripts } from '#lab/strategy';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadReadLocks } from './read-locks';

/** Where an explorer's servers are, and what there is its own. */
export interface WorldOptions {
  /** `redis://host:port`; database `redisDb` is emptied again and again. */
  readonly redis: string;
  readonly redisDb: number;
  /** `mysql://user:password@host:port`; the user may create and drop `schema` and has PROCESS. */
  readonly mysql: string;
  readonly schema: string;
  /** Where the servers on demand are. Of each the world uses a place of its own: see `ownServers`. */
  readonly servers?: ServerAddresses;
  /**
   * For a world some of whose replicas do not answer: the limit of each WAIT, milliseconds, long enough for the others.
   * Absent: WAIT is answered when all replicas have acknowledged.
   */
  readonly replicaMs?: number;
}

/** Voters of a world, fewer than the lab has: each one multiplies the schedules. */
const VOTERS = 3;

/** The same addresses with a world's own place in each: Redis database, ZooKeeper's chroot, prefix of etcd's keys. */
export function ownServers({ servers = {}, redisDb, schema }: WorldOptions): ServerAddresses {
  const { voters, primary, zookeeper, etcd } = servers;
  return {
    ...(voters !== undefined && { voters: voters.slice(0, VOTERS).map((url) => `${url}/${redisDb}`) }),
    ...(primary !== undefined && { primary: `${primary}/${redisDb}` }),
    ...(zookeeper !== undefined && { zookeeper: `${zookeeper}/${schema}` }),
    ...(etcd !== undefined && { etcd: `${etcd}/${schema}` }),
  };
}

/** One actor's own connections. */
export interface ActorConnections {
  readonly redis: SteppedRedis;
  readonly servers: Servers;
  readonly folder: LockFolder;
  readonly dataSource: SteppedDataSource;
  readonly balances: Balances;
  /** The open sessions by thread id: the client's side of them. */
  readonly sockets: ReadonlyMap<number, Socket>;
  /** Sessions whose connection was destroyed by the client; the server may not have noticed yet. */
  readonly abandoned: Set<number>;
}

/** The client's end of a database session. */
interface Socket {
  readonly threadId: number;
  readonly stream: { readonly closed: boolean; once(event: 'close', listener: () => void): void };
  destroy(): void;
}

/** The part of a mysql2 pool that is used here. */
interface Pool {
  on(event: 'acquire', listener: (connection: Socket) => void): void;
}

/** Longer than any schedule takes on a busy machine: a lock wait ends when the schedule says so. Seconds. */
const LOCK_WAIT_SECONDS = 3600;
/** Time-out of every reply and connection: the load of the machine must not change a schedule. Milliseconds. */
const ANSWER_MS = 60_000;

/** A Redis connection that knows the scripts of this house. */
export async function openRedis({ redis: url, redisDb }: WorldOptions, name: string): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: `${url}/${redisDb}`, name, timeoutMs: ANSWER_MS });
  await redis.connect();
  await loadReadLocks(redis);
  return redis;
}

/** The folder of a world's locks that are directories: nobody else's. */
export const lockFolderOf = ({ schema }: WorldOptions): string =>
  join(tmpdir(), `oversell-lab-${process.pid}-${schema}`);

/** Longer than any schedule, and than any hold-up of this machine: sessions end when the schedule says so. Milliseconds. */
const SESSION_MS = 60_000;

/** Connections to a world's own places in the servers on demand. */
export async function openServers(
  options: WorldOptions,
  name: string,
  prepare: (redis: SteppedRedis) => Promise<unknown>,
): Promise<Servers> {
  const servers = new Servers(ownServers(options), name, {
    sessionMs: SESSION_MS,
    timeoutMs: ANSWER_MS,
    leastLeaseMs: SESSION_MS,
    replicaMs: options.replicaMs ?? 0,
  });
  await servers.connect(prepare);
  return servers;
}

/** Connections for one actor. */
export async function openActorConnections(options: WorldOptions, name: string): Promise<ActorConnections> {
  const redis = await openRedis(options, name);
  await loadScripts(redis);
  const servers = await openServers(options, name, loadScripts);
  const dataSource = new SteppedDataSource({
    url: options.mysql,
    database: options.schema,
    migrations: BALANCE_MIGRATIONS,
    poolSize: 4,
    lockWaitSeconds: LOCK_WAIT_SECONDS,
    answerMs: ANSWER_MS,
  });
  await dataSource.initialize();
  const sockets = new Map<number, Socket>();
  const abandoned = new Set<number>();
  (dataSource.driver as unknown as { pool: Pool }).pool.on('acquire', (socket) => {
    if (sockets.has(socket.threadId)) return;
    sockets.set(socket.threadId, socket);
    const destroy = socket.destroy.bind(socket);
    socket.destroy = () => {
      abandoned.add(socket.threadId);
      destroy();
    };
  });
  const folder = new LockFolder(lockFolderOf(options));
  return { redis, servers, folder, dataSource, balances: new Balances(dataSource), sockets, abandoned };
}

import { BALANCE_MIGRATIONS, Balances } from '#lab/balance';
import { GUARD_MIGRATIONS } from '#lab/guard';
import { LOCK_MIGRATIONS, SqlLocks } from '#lab/locks';
import {
  followUse,
  isConnecting,
  LockFolder,
  Servers,
  SteppedDataSource,
  SteppedRedis,
  type MysqlPool,
  type ServerAddresses,
} from '#lab/step';
import { loadScripts } from '#lab/strategy';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withCallSites } from './call-sites';
import { loadReadLocks } from './read-locks';

/** Addresses of the servers, and the parts of them that one explorer owns. */
export interface WorldOptions {
  /** `redis://host:port`; database `redisDb` is flushed before schedules. */
  readonly redis: string;
  readonly redisDb: number;
  /** `mysql://user:password@host:port`; the user may create and drop `schema` and has PROCESS. */
  readonly mysql: string;
  readonly schema: string;
  /** Addresses of the optional servers. The world uses a namespace of its own in each: see `ownServers`. */
  readonly servers?: ServerAddresses;
  /**
   * For a world with unreachable replicas: time limit of each WAIT in milliseconds, long enough for the reachable
   * ones. Absent: WAIT returns when all replicas have acknowledged.
   */
  readonly replicaMs?: number;
  /** Only for subjects of a user, which have clients and tables of their own: without those of the lab. */
  readonly onlySubjects?: true;
  /** Keeps the call stack of each held step, to show where the code of an actor is. */
  readonly keepsStacks?: true;
  /** The memory of a `Pulse`, which the thread that waits for this world reads. */
  readonly pulse?: SharedArrayBuffer;
}

/** Redlock voters of a world. Fewer than the lab has, because each one multiplies the schedules. */
const VOTERS = 3;

/** The same addresses with the world's own namespace: Redis database, ZooKeeper chroot, etcd key prefix. */
export function ownServers({ servers = {}, redisDb, schema }: WorldOptions): ServerAddresses {
  const { voters, primary, zookeeper, etcd, gateway } = servers;
  return {
    ...(voters !== undefined && { voters: voters.slice(0, VOTERS).map((url) => `${url}/${redisDb}`) }),
    ...(primary !== undefined && { primary: `${primary}/${redisDb}` }),
    ...(zookeeper !== undefined && { zookeeper: `${zookeeper}/${schema}` }),
    ...(etcd !== undefined && { etcd: `${etcd}/${schema}` }),
    ...(gateway !== undefined && { gateway: `${gateway}/${schema}` }),
  };
}

/** The clients of a user's code, of one actor. */
export interface UserClients {
  /** What the user's function returned. */
  readonly clients: object;
  /** One has subscribed to a channel: messages may arrive at any time. */
  readonly isSubscribed: boolean;
  /** Resolves when they have received all messages that were published before this call. */
  receiveMessages(): Promise<void>;
  /** One opens a connection. */
  readonly isConnecting: boolean;
}

/** The connections of one actor. */
export interface ActorConnections {
  readonly redis: SteppedRedis;
  readonly servers: Servers;
  readonly folder: LockFolder;
  readonly dataSource: SteppedDataSource;
  readonly balances: Balances;
  readonly sqlLocks: SqlLocks;
  /** Open database sessions by thread id: the client's side. */
  readonly sockets: ReadonlyMap<number, Socket>;
  /** Sessions that code has taken from the pool. */
  readonly used: ReadonlySet<Pick<Socket, 'threadId'>>;
  /** Sessions whose connection the client destroyed; the server may not have noticed yet. */
  readonly abandoned: Set<number>;
  /** The host on which the client runs. */
  readonly host: Host;
  /** Notes a session in `sockets`, and its end. */
  readonly track: (socket: Socket) => void;
  /** The clients of a user's code; undefined: the actor does not run such code. */
  own: UserClients | undefined;
  /** A client opens a connection: code waits for it without a step. */
  isConnecting(): boolean;
}

/** The client's end of a database session. */
interface Socket {
  readonly threadId: number;
  readonly stream: { readonly closed: boolean; once(event: 'close', listener: () => void): void };
  destroy(): void;
}

/** The host of a client: while it is down, the client closes no connection. */
export class Host {
  private isDown = false;
  private readonly closings: (() => void)[] = [];

  goDown(): void {
    this.isDown = true;
  }

  /** The client closes the connections that it would have closed meanwhile. */
  comeUp(): void {
    this.isDown = false;
    for (const close of this.closings.splice(0)) close();
  }

  /** Calls `close` now, or when the host is up again. */
  whenUp(close: () => void): void {
    if (this.isDown) this.closings.push(close);
    else close();
  }
}

/** Seconds. Longer than any schedule takes on a busy machine: only the schedule ends a lock wait. */
export const LOCK_WAIT_SECONDS = 3600;
/** Timeout of every reply and connection, milliseconds. Long, because machine load must not change a schedule. */
const ANSWER_MS = 60_000;

/** A Redis connection with the lock-reading scripts loaded. */
export async function openRedis({ redis: url, redisDb }: WorldOptions, name: string): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: `${url}/${redisDb}`, name, timeoutMs: ANSWER_MS });
  await redis.connect();
  await loadReadLocks(redis);
  return redis;
}

/** Directory of the locks that are directories; private to this world. */
export const lockFolderOf = ({ schema }: WorldOptions): string =>
  join(tmpdir(), `oversell-lab-${process.pid}-${schema}`);

/** Milliseconds. Longer than any schedule on a busy machine: only the schedule ends a session. */
const SESSION_MS = 60_000;

/** Connections to the world's own namespaces in the optional servers. */
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

/** Names of GET_LOCK locks are global to the server and have at most 64 characters. */
export const namedLockPrefixOf = ({ schema }: Pick<WorldOptions, 'schema'>): string =>
  `${createHash('sha1').update(schema).digest('hex').slice(0, 6)}/`;

export async function openActorConnections(options: WorldOptions, name: string): Promise<ActorConnections> {
  const usesLab = options.onlySubjects !== true;
  const redis = await openRedis(options, name);
  if (usesLab) await loadScripts(redis);
  const servers = await openServers(options, name, loadScripts);
  const dataSource = new SteppedDataSource({
    url: options.mysql,
    database: options.schema,
    migrations: [...BALANCE_MIGRATIONS, ...LOCK_MIGRATIONS, ...GUARD_MIGRATIONS],
    poolSize: 4,
    lockWaitSeconds: LOCK_WAIT_SECONDS,
    namedLockPrefix: namedLockPrefixOf(options),
    answerMs: ANSWER_MS,
  });
  if (usesLab) await dataSource.initialize();
  const sockets = new Map<number, Socket>();
  const abandoned = new Set<number>();
  const host = new Host();
  const { pool } = dataSource.driver as unknown as { pool: MysqlPool | undefined };
  const used = pool === undefined ? new Set<Socket>() : followUse(pool);
  const track = (socket: Socket): void => {
    if (sockets.has(socket.threadId)) return;
    sockets.set(socket.threadId, socket);
    socket.stream.once('close', () => {
      sockets.delete(socket.threadId); // otherwise all buffers of the connection stay
      used.delete(socket);
    });
    const destroy = socket.destroy.bind(socket);
    socket.destroy = () => {
      host.whenUp(() => {
        abandoned.add(socket.threadId);
        destroy();
      });
    };
  };
  pool?.on('acquire', track);
  const folder = new LockFolder(lockFolderOf(options));
  const located = <T extends object>(tools: T): T =>
    options.keepsStacks === true ? withCallSites(tools) : tools;
  const balances = located(new Balances(dataSource));
  const sqlLocks = located(new SqlLocks(dataSource));
  const connections: ActorConnections = {
    redis,
    servers,
    folder,
    dataSource,
    balances,
    sqlLocks,
    sockets,
    used,
    abandoned,
    host,
    track,
    own: undefined,
    isConnecting: () => (pool !== undefined && isConnecting(pool)) || connections.own?.isConnecting === true,
  };
  return connections;
}

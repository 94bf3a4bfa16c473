import {
  LockFolder,
  Servers,
  SteppedRedis,
  systemClock,
  type Component,
  type ServerAddresses,
} from '#lab/step';
import {
  DEFAULT_OPTIONS,
  findStrategy,
  loadScripts,
  LocalProcess,
  RedisPubSub,
  type Options,
  type Tools,
} from '#lab/strategy';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { RedisMutex, type PeerModules } from './peers';

/** Acquires the lock, runs the section, releases the lock. */
export type Hold = () => Promise<unknown>;

/** Prepares what one waiter calls repeatedly, so that each call creates nothing but the lock itself. */
export type HoldOf = (key: string, section: () => Promise<void>) => Hold;

/** Addresses of the servers. */
export interface Addresses {
  /** `redis://host:port`. */
  readonly redis: string;
  readonly servers: ServerAddresses;
}

/**
 * `ours`: a strategy of the catalogue. `polling peer`: a package that polls. `notified peer`: a package whose waiters are
 * notified. `ceiling`: the limit of ioredis itself. `for scale`: a lock on another server.
 */
export type Kind = 'ours' | 'polling peer' | 'notified peer' | 'ceiling' | 'for scale';

/** One lock implementation; each process opens it once. */
export interface Contender {
  readonly name: string;
  readonly kind: Kind;
  readonly needs?: Component;
  /** Connects to the servers. The connections close when the process ends. */
  open(addresses: Addresses): Promise<HoldOf>;
}

const LEASE_MS = 5000;
/** Longer than an experiment, so that no waiter gives up. */
const WAIT_MS = 30_000;
const FAST_RETRY_MS = 5;
/** Retries without an effective limit. */
const MANY = 1_000_000;

const load = createRequire(__filename);
const peer = <K extends keyof PeerModules>(name: K): PeerModules[K] => load(name) as PeerModules[K];

/** A strategy of the catalogue on stub balances, so that only the lock is measured. */
const strategy = (
  name: string,
  called: string,
  options: Partial<Options> = {},
  more: Pick<Contender, 'kind' | 'needs'> = { kind: 'ours' },
): Contender => ({
  name,
  ...more,
  async open({ redis: url, servers: addresses }) {
    const servers = new Servers(addresses, 'bench');
    await servers.connect(loadScripts);
    const redis = new SteppedRedis({ url, name: 'bench', timeoutMs: WAIT_MS });
    const subscriber = new SteppedRedis({ url, name: 'bench-hears', timeoutMs: WAIT_MS });
    await Promise.all([redis.connect(), subscriber.connect()]);
    await loadScripts(redis);
    const found = findStrategy(called);
    const tools = {
      redis,
      servers,
      folder: new LockFolder(tmpdir()),
      options: { ...DEFAULT_OPTIONS, leaseMs: LEASE_MS, waitMs: WAIT_MS, ...options },
      clock: systemClock,
      process: new LocalProcess('bench', new RedisPubSub(subscriber)),
      warn: (warning: string) => {
        throw new Error(warning);
      },
    };
    return (key, section) => {
      const change = { balance: key, delta: -1, request: 'bench', replica: 'bench', strategy: called };
      const read = Promise.resolve(1);
      const written = Promise.resolve({ ...change, before: 1, after: 0 });
      const balances = { read: () => read, write: () => written } as unknown as Tools['balances'];
      const sqlLocks = {} as Tools['sqlLocks']; // no database: only locks outside of it are measured
      const mine = { ...tools, balances, sqlLocks, work: section };
      return () => found.apply(change, mine);
    };
  },
});

const connected = async (url: string): Promise<Redis> => {
  const redis = new Redis(url, { lazyConnect: true });
  await redis.connect();
  return redis;
};

const redlock = (name: string, module: 'redlock' | 'redlock-beta', retryDelay?: number): Contender => ({
  name,
  kind: 'polling peer',
  async open({ redis: url }) {
    const Redlock = module === 'redlock' ? peer('redlock') : peer('redlock-beta').default;
    const locks = new Redlock([await connected(url)], {
      retryCount: MANY,
      ...(retryDelay !== undefined && { retryDelay, retryJitter: retryDelay }),
    });
    locks.on('error', () => undefined); // the beta emits an error for every failed try
    const acquire = (key: string): ReturnType<typeof locks.lock> =>
      module === 'redlock' ? locks.lock(`lock:${key}`, LEASE_MS) : locks.acquire([`lock:${key}`], LEASE_MS);
    return (key, section) => async () => {
      const lock = await acquire(key);
      await section();
      await (module === 'redlock' ? lock.unlock() : lock.release());
    };
  },
});

const redisSemaphore: Contender = {
  name: 'redis-semaphore 5.8.0',
  kind: 'polling peer',
  async open({ redis: url }) {
    const redis = await connected(url);
    return (key, section) => async () => {
      const mutex = new RedisMutex(redis, `lock:${key}`, { lockTimeout: LEASE_MS, acquireTimeout: WAIT_MS });
      await mutex.acquire();
      await section();
      await mutex.release();
    };
  },
};

const microfleet: Contender = {
  name: '@microfleet/ioredis-lock 6.0.1',
  kind: 'polling peer',
  async open({ redis: url }) {
    const redis = await connected(url);
    const { createLock } = await import('@microfleet/ioredis-lock');
    return (key, section) => async () => {
      const lock = await createLock(redis, { timeout: LEASE_MS, retries: MANY }).acquire(`lock:${key}`);
      await section();
      await lock.release();
    };
  },
};

const nodeRedisson: Contender = {
  name: 'node-redisson 1.0.4',
  kind: 'notified peer',
  open({ redis: url }) {
    const { hostname: host, port } = new URL(url);
    const redisson = new (peer('node-redisson').Redisson)({
      redis: { options: { host, port: Number(port) } },
    });
    return Promise.resolve((key, section) => async () => {
      const lock = redisson.getLock(key);
      // It subscribes only after its last try: a waiter that misses the release gets `false` one lease later.
      while (!(await lock.tryLock(BigInt(WAIT_MS), BigInt(LEASE_MS))));
      await section();
      await lock.unlock();
    });
  },
};

/** Deletes the lock if the token matches: the release that all these locks send. */
const DELETE_IF_OURS =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * The upper limit for hand-overs with ioredis, one round trip each: the same two commands, with the next SET in one packet
 * with the release. The waiters of the process take turns in a local queue, so no SET is refused and no waiter polls Redis.
 */
const ceiling: Contender = {
  name: 'ioredis alone, no lock logic',
  kind: 'ceiling',
  async open({ redis: url }) {
    const redis = await connected(url);
    const script = (await redis.script('LOAD', DELETE_IF_OURS)) as string;
    const queues = new Map<string, (() => void)[]>(); // a key has a queue while its lock is held
    return (key, section) => async () => {
      const queue = queues.get(key);
      if (queue === undefined) queues.set(key, []);
      else await new Promise<void>((turn) => queue.push(turn));
      const token = randomUUID();
      await redis.set(`lock:${key}`, token, 'PX', LEASE_MS, 'NX');
      await section();
      redis.stream.cork();
      process.nextTick(() => {
        redis.stream.uncork();
      });
      const released = redis.evalsha(script, 1, `lock:${key}`, token);
      const next = queues.get(key)?.shift();
      if (next === undefined) queues.delete(key);
      else next();
      await released;
    };
  },
};

export const CONTENDERS: readonly Contender[] = [
  strategy('token-lua, poll', 'token-lua'),
  strategy('token-lua, notify', 'token-lua', { wait: 'notify' }),
  strategy('fair', 'fair'),
  strategy('watchdog, notify', 'watchdog', { wait: 'notify' }),
  ceiling,
  redlock('redlock 4.2.0', 'redlock'),
  redlock('redlock 4.2.0, retry 5 ms', 'redlock', FAST_RETRY_MS),
  redlock('redlock 5.0.0-beta.2', 'redlock-beta'),
  redlock('redlock 5.0.0-beta.2, retry 5 ms', 'redlock-beta', FAST_RETRY_MS),
  redisSemaphore,
  microfleet,
  nodeRedisson,
  strategy('zookeeper', 'zookeeper', {}, { kind: 'for scale', needs: 'zookeeper' }),
  strategy('etcd', 'etcd', {}, { kind: 'for scale', needs: 'etcd' }),
];

import { LockFolder, Servers, SteppedRedis, systemClock } from '#lab/step';
import {
  DEFAULT_OPTIONS,
  findStrategy,
  loadScripts,
  LocalProcess,
  RedisNotices,
  type Options,
  type Tools,
} from '#lab/strategy';
import { Redis } from 'ioredis';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { RedisMutex, type PeerModules } from './peers';

/** Holds the lock of `key` while `section` runs. */
export type Hold = (key: string, section: () => Promise<void>) => Promise<void>;

/** One way of locking, as the bench drives it: opened once in each process. */
export interface Contender {
  readonly name: string;
  readonly ours: boolean;
  /** `url` of the Redis; the connections are closed with the process. */
  open(url: string): Promise<Hold>;
}

const LEASE_MS = 5000;
/** Longer than an experiment: nobody gives up. */
const WAIT_MS = 30_000;
const FAST_RETRY_MS = 5;
const MANY = 1_000_000;

const load = createRequire(__filename);
const peer = <K extends keyof PeerModules>(name: K): PeerModules[K] => load(name) as PeerModules[K];

/** A strategy of the catalogue, with nothing to protect: the rows are not read. */
const ours = (name: string, strategy: string, options: Partial<Options> = {}): Contender => ({
  name,
  ours: true,
  async open(url) {
    const redis = new SteppedRedis({ url, name: 'bench', timeoutMs: WAIT_MS });
    const subscriber = new SteppedRedis({ url, name: 'bench-hears', timeoutMs: WAIT_MS });
    await Promise.all([redis.connect(), subscriber.connect()]);
    await loadScripts(redis);
    const found = findStrategy(strategy);
    const tools = {
      redis,
      servers: new Servers({}, 'bench'),
      folder: new LockFolder(tmpdir()),
      options: { ...DEFAULT_OPTIONS, leaseMs: LEASE_MS, waitMs: WAIT_MS, ...options },
      clock: systemClock,
      process: new LocalProcess('bench', new RedisNotices(subscriber)),
      warn: (warning: string) => {
        throw new Error(warning);
      },
    };
    return async (key, section) => {
      const change = { balance: key, delta: -1, request: 'bench', replica: 'bench', strategy };
      const balances = {
        read: () => Promise.resolve(1),
        write: () => Promise.resolve({ ...change, before: 1, after: 0 }),
      } as unknown as Tools['balances'];
      await found.apply(change, { ...tools, balances, work: section });
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
  ours: false,
  async open(url) {
    const Redlock = module === 'redlock' ? peer('redlock') : peer('redlock-beta').default;
    const locks = new Redlock([await connected(url)], {
      retryCount: MANY,
      ...(retryDelay !== undefined && { retryDelay, retryJitter: retryDelay }),
    });
    locks.on('error', () => undefined); // the beta tells every try that failed
    const acquire = (key: string): ReturnType<typeof locks.lock> =>
      module === 'redlock' ? locks.lock(`lock:${key}`, LEASE_MS) : locks.acquire([`lock:${key}`], LEASE_MS);
    return async (key, section) => {
      const lock = await acquire(key);
      await section();
      await (module === 'redlock' ? lock.unlock() : lock.release());
    };
  },
});

const redisSemaphore: Contender = {
  name: 'redis-semaphore 5.8.0',
  ours: false,
  async open(url) {
    const redis = await connected(url);
    return async (key, section) => {
      const mutex = new RedisMutex(redis, `lock:${key}`, { lockTimeout: LEASE_MS, acquireTimeout: WAIT_MS });
      await mutex.acquire();
      await section();
      await mutex.release();
    };
  },
};

const microfleet: Contender = {
  name: '@microfleet/ioredis-lock 6.0.1',
  ours: false,
  async open(url) {
    const redis = await connected(url);
    const { createLock } = await import('@microfleet/ioredis-lock');
    return async (key, section) => {
      const lock = await createLock(redis, { timeout: LEASE_MS, retries: MANY }).acquire(`lock:${key}`);
      await section();
      await lock.release();
    };
  },
};

const nodeRedisson: Contender = {
  name: 'node-redisson 1.0.4',
  ours: false,
  open(url) {
    const { hostname: host, port } = new URL(url);
    const redisson = new (peer('node-redisson').Redisson)({
      redis: { options: { host, port: Number(port) } },
    });
    return Promise.resolve(async (key, section) => {
      const lock = redisson.getLock(key);
      // it listens after its last try: who has missed a release is told, a lease later, that the time is over
      while (!(await lock.tryLock(BigInt(WAIT_MS), BigInt(LEASE_MS))));
      await section();
      await lock.unlock();
    });
  },
};

/** ZooKeeper and etcd take their places here when their strategies are there. */
export const CONTENDERS: readonly Contender[] = [
  ours('token-lua, poll', 'token-lua'),
  ours('token-lua, notify', 'token-lua', { wait: 'notify' }),
  ours('fair', 'fair'),
  ours('watchdog, notify', 'watchdog', { wait: 'notify' }),
  redlock('redlock 4.2.0', 'redlock'),
  redlock('redlock 4.2.0, retry 5 ms', 'redlock', FAST_RETRY_MS),
  redlock('redlock 5.0.0-beta.2', 'redlock-beta'),
  redlock('redlock 5.0.0-beta.2, retry 5 ms', 'redlock-beta', FAST_RETRY_MS),
  redisSemaphore,
  microfleet,
  nodeRedisson,
];

import { FaultProxy } from '#lab/stack';
import { SteppedRedis, systemClock } from '#lab/step';
import { Lease, LockLost } from '#lab/strategy';
import { Redis } from 'ioredis';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { RedisMutex, type PeerModules } from './peers';

const LEASE_MS = 1000;
/** So long after the lease's end nobody waits for a signal any more. */
const PATIENCE_MS = 4000;

/** When a holder that lost its network knew that its lock is lost: milliseconds after the lease's end, null: never. */
export interface LossSignal {
  readonly name: string;
  readonly afterMs: number | null;
  /** Why there can be none. */
  readonly because?: string;
}

/** Takes the lock at `url`; `signal` is called when it says that it is lost. */
type Holder = (url: string, signal: () => void) => Promise<{ disconnect(): void }>;

const lease: Holder = async (url, signal) => {
  const redis = new SteppedRedis({ url, name: 'loss' });
  await redis.connect();
  const held = new Lease('lock:loss', LEASE_MS, systemClock);
  await held.grant(async () => (await redis.set('lock:loss', 'x', 'PX', LEASE_MS, 'NX')) === 'OK');
  held.keep(10 * LEASE_MS, async () => (await redis.pexpire('lock:loss', LEASE_MS)) === 1);
  held.lost.addEventListener('abort', () => {
    if (held.lost.reason instanceof LockLost) signal();
  });
  return redis;
};

const semaphore: Holder = async (url, signal) => {
  const redis = new Redis(url);
  await new RedisMutex(redis, 'loss', { lockTimeout: LEASE_MS, onLockLost: signal }).acquire();
  return redis;
};

const beta: Holder = async (url, signal) => {
  const redis = new Redis(url);
  const { default: Redlock } = createRequire(__filename)('redlock-beta') as PeerModules['redlock-beta'];
  const locks = new Redlock([redis], { retryCount: 0 });
  locks.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    void locks
      .using(['loss'], LEASE_MS, async (lost) => {
        lost.addEventListener('abort', signal);
        resolve();
        await delay(LEASE_MS + PATIENCE_MS);
      })
      .catch(() => undefined);
  });
  return redis;
};

async function measure(name: string, url: string, holder: Holder): Promise<LossSignal> {
  const { hostname, port } = new URL(url);
  const network = await FaultProxy.to(hostname, Number(port));
  let heard: number | undefined;
  const asked = performance.now();
  const connection = await holder(`redis://127.0.0.1:${network.port}`, () => (heard ??= performance.now()));
  await delay(LEASE_MS / 10); // before the first renewal
  network.swallow();
  const end = asked + LEASE_MS;
  while (heard === undefined && performance.now() < end + PATIENCE_MS) await delay(5);
  connection.disconnect();
  await network.close();
  return { name, afterMs: heard === undefined ? null : heard - end };
}

/** How long after the end of its lease each holder knows, when the network swallows everything shortly after it got the lock. */
export async function lossSignals(url: string): Promise<LossSignal[]> {
  const none = (name: string): LossSignal => ({ name, afterMs: null, because: 'it has no signal' });
  // peers go on renewing over a connection that is closed, and leave the promise to nobody: that must not end the bench
  process.on('unhandledRejection', () => undefined);
  return [
    await measure('watchdog (Lease.lost)', url, lease),
    await measure('redis-semaphore 5.8.0 (onLockLost)', url, semaphore),
    await measure('redlock 5.0.0-beta.2 (using)', url, beta),
    ...['redlock 4.2.0', '@microfleet/ioredis-lock 6.0.1', 'node-redisson 1.0.4'].map(none),
  ];
}

import { FaultProxy } from '#lab/stack';
import { SteppedRedis, systemClock } from '#lab/step';
import { Lease, LockLost } from '#lab/strategy';
import { Redis } from 'ioredis';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { RedisMutex, type PeerModules } from './peers';

const LEASE_MS = 1000;
/** Time after the end of the lease within which a signal counts. */
const SIGNAL_TIMEOUT_MS = 4000;

/** When a holder without network noticed the loss of its lock: milliseconds after the end of its lease; null: never. */
export interface LossSignal {
  readonly name: string;
  readonly afterMs: number | null;
  /** Why the package cannot signal a loss. */
  readonly because?: string;
}

/** Acquires the lock at `url`; calls `signal` when the implementation reports its loss. */
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
        await delay(LEASE_MS + SIGNAL_TIMEOUT_MS);
      })
      .catch(() => undefined);
  });
  return redis;
};

async function measure(name: string, url: string, holder: Holder): Promise<LossSignal> {
  const { hostname, port } = new URL(url);
  const network = await FaultProxy.to(hostname, Number(port));
  let signaledAt: number | undefined;
  const requestedAt = performance.now();
  const connection = await holder(
    `redis://127.0.0.1:${network.port}`,
    () => (signaledAt ??= performance.now()),
  );
  await delay(LEASE_MS / 10); // before the first renewal
  network.swallow();
  const end = requestedAt + LEASE_MS;
  while (signaledAt === undefined && performance.now() < end + SIGNAL_TIMEOUT_MS) await delay(5);
  connection.disconnect();
  await network.close();
  return { name, afterMs: signaledAt === undefined ? null : signaledAt - end };
}

/** Measures each holder's loss signal when the network drops all traffic shortly after the lock was acquired. */
export async function lossSignals(url: string): Promise<LossSignal[]> {
  const none = (name: string): LossSignal => ({ name, afterMs: null, because: 'it has no signal' });
  // Peers keep renewing over the closed connection without handling the rejection; it must not end the bench.
  process.on('unhandledRejection', () => undefined);
  return [
    await measure('watchdog (Lease.lost)', url, lease),
    await measure('redis-semaphore 5.8.0 (onLockLost)', url, semaphore),
    await measure('redlock 5.0.0-beta.2 (using)', url, beta),
    ...['redlock 4.2.0', '@microfleet/ioredis-lock 6.0.1', 'node-redisson 1.0.4'].map(none),
  ];
}

import type { Redis } from 'ioredis';

/** What Redis calls the sender of a command inside of a script. */
const SCRIPT = 'lua';

/** Commands between two moments, counted by Redis. */
export interface CommandCounts {
  /** Sent by clients: MONITOR, which says of each command whether a script has called it. */
  readonly sent: number;
  /** Executed, also inside of scripts: INFO commandstats. */
  readonly executed: number;
}

/** Counts the commands while `body` runs; of those that clients send, only the ones that contain `text`, for example a key. */
export async function countCommands(
  redis: Redis,
  text: string,
  body: () => Promise<unknown>,
): Promise<CommandCounts> {
  const monitor = await openMonitor(redis);
  let sent = 0;
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    if (source !== SCRIPT && args.some((arg) => arg.includes(text))) sent++;
  });
  const before = await executedCommands(redis);
  await body();
  const executed = (await executedCommands(redis)) - before;
  // MONITOR reports in order: this command comes after all others
  const END = 'end-of-count';
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, args: string[]) => {
      if (args[1] === END) resolve();
    });
  });
  await redis.ping(END);
  await ended;
  monitor.disconnect();
  return { sent, executed };
}

/**
 * A connection in MONITOR mode. A command of another client that Redis reports together with its OK to MONITOR breaks the
 * connection in ioredis, which then connects again.
 */
async function openMonitor(redis: Redis): Promise<Redis> {
  const monitor = redis.duplicate({ monitor: true, lazyConnect: false });
  monitor.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    monitor.once('monitoring', () => {
      resolve();
    });
  });
  return monitor;
}

async function executedCommands(redis: Redis): Promise<number> {
  const text = await redis.info('commandstats');
  const counts = [...text.matchAll(/^cmdstat_[^:]+:calls=(\d+)/gm)].map(([, calls]) => Number(calls));
  return counts.reduce((sum, calls) => sum + calls, 0);
}

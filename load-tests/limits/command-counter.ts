import type { Redis } from 'ioredis';

/** What the lab itself sends. */
const OF_THE_LAB = new Set(['info', 'ping', 'time', 'llen', 'pttl', 'monitor', 'client', 'hello', 'select']);
/** What Redis calls the sender of a command inside of a script. */
const SCRIPT = 'lua';

/** Commands between two moments, counted by Redis. */
export interface CommandCounts {
  /** Sent by clients: MONITOR, which says of each command whether a script has called it. */
  readonly sent: number;
  /** Executed, also inside of scripts: INFO commandstats. */
  readonly executed: number;
}

/** Counts the commands that Redis executes while `body` runs. */
export async function countCommands(redis: Redis, body: () => Promise<unknown>): Promise<CommandCounts> {
  const monitor = await redis.monitor();
  let sent = 0;
  monitor.on('monitor', (_time: string, [name = '']: string[], source: string) => {
    if (source !== SCRIPT && !OF_THE_LAB.has(name.toLowerCase())) sent++;
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

async function executedCommands(redis: Redis): Promise<number> {
  const text = await redis.info('commandstats');
  const calls = [...text.matchAll(/^cmdstat_([^:|]+)[^:]*:calls=(\d+)/gm)];
  return calls.reduce(
    (sum, [, name = '', count]) =>
      sum + (OF_THE_LAB.has(name) && name !== 'time' && name !== 'pttl' ? 0 : Number(count)),
    0,
  );
}

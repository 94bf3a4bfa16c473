import type { Redis } from 'ioredis';

/** What Redis calls the sender of a command inside of a script. */
const SCRIPT = 'lua';
const END = 'end-of-watch';

/**
 * Calls `onCommand` for each command that a client sends to this Redis, with the address of its connection: MONITOR. Commands
 * inside of scripts are left out. The result ends it, and resolves after all commands before that call were reported.
 */
export async function watchCommands(
  redis: Redis,
  onCommand: (command: readonly string[], source: string) => void,
): Promise<() => Promise<void>> {
  const monitor = await openMonitor(redis);
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, command: string[], source: string) => {
      if (command[1] === END) resolve();
      else if (source !== SCRIPT) onCommand(command, source);
    });
  });
  return async () => {
    await redis.ping(END); // MONITOR reports in order: this command comes after all others
    await ended;
    monitor.disconnect();
  };
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

import { watchCommands } from '#lab/step';
import type { Redis } from 'ioredis';

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
  let sent = 0;
  const end = await watchCommands(redis, (command) => {
    if (command.some((arg) => arg.includes(text))) sent++;
  });
  const before = await executedCommands(redis);
  await body();
  const executed = (await executedCommands(redis)) - before;
  await end();
  return { sent, executed };
}

async function executedCommands(redis: Redis): Promise<number> {
  const text = await redis.info('commandstats');
  const counts = [...text.matchAll(/^cmdstat_[^:]+:calls=(\d+)/gm)].map(([, calls]) => Number(calls));
  return counts.reduce((sum, calls) => sum + calls, 0);
}

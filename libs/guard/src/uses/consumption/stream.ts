import type { GuardTools } from '../../contract';
import type { Redis } from 'ioredis';

const STREAM = 'credits';
const GROUP = 'accounts';

/** A message as a consumer received it. */
export interface Received {
  /** Its place in the stream, for the acknowledgment. */
  readonly entry: string;
  /** The id that its sender gave it. */
  readonly message: string;
}

type Entries = readonly [entry: string, fields: readonly string[]][];

/** Makes a stream with these messages and one group of consumers. The entries are numbered, so that runs can be repeated. */
export async function fill(redis: Redis, messages: readonly string[]): Promise<void> {
  await redis.del(STREAM);
  await redis.xgroup('CREATE', STREAM, GROUP, '0', 'MKSTREAM');
  const pipeline = redis.pipeline();
  for (const [i, message] of messages.entries()) pipeline.xadd(STREAM, `${i + 1}-1`, 'message', message);
  await pipeline.exec();
}

/**
 * Receives one message: first one that another consumer has received and not acknowledged, which may be dead or only slow; else
 * a new one. Undefined: there is none. This is what "at least once" means.
 */
export async function receive(tools: GuardTools): Promise<Received | undefined> {
  return receiveFromGroup(tools).catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOGROUP')) return undefined; // nothing was ever sent
    throw error;
  });
}

async function receiveFromGroup({ redis, process }: GuardTools): Promise<Received | undefined> {
  const claimed = await redis.xautoclaim(STREAM, GROUP, process.name, 0, '0-0', 'COUNT', 1);
  const pending = claimedEntry(claimed);
  if (pending !== undefined) return pending;
  const read = await redis.xreadgroup('GROUP', GROUP, process.name, 'COUNT', 1, 'STREAMS', STREAM, '>');
  const [[, entries] = []] = (read as [stream: string, entries: Entries][] | null) ?? [];
  return firstOf(entries);
}

export const acknowledge = (redis: Redis, { entry }: Received): Promise<unknown> =>
  redis.xack(STREAM, GROUP, entry);

const claimedEntry = (reply: unknown): Received | undefined => firstOf((reply as [unknown, Entries])[1]);

function firstOf(entries: Entries = []): Received | undefined {
  const [[entry, fields] = []] = entries;
  const message = fields?.[1];
  return entry === undefined || message === undefined ? undefined : { entry, message };
}

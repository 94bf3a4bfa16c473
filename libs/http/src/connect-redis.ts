import type { Config } from '#lab/config';
import { dropped, SteppedRedis } from '#lab/step';
import { loadScripts } from '#lab/strategy';

/** Connects to the Redis of the lab. An unreachable one is retried in the background; what needs it fails with 503. */
export async function connectRedis({ redisUrl, replica }: Config): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: redisUrl, name: replica });
  redis.on('ready', () => void loadScripts(redis).catch(dropped('loading the Lua scripts'))); // run() loads missing scripts
  await redis.connect().catch(dropped('the first connection to Redis'));
  return redis;
}

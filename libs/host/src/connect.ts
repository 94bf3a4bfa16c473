import type { Config } from '#lab/config';
import { dropped, Servers, SteppedRedis } from '#lab/step';
import { loadScripts } from '#lab/strategy';

/** Connects to the Redis of the locks. An unreachable one is retried in the background; its strategies fail with 503. */
export async function connectRedis(config: Config): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: config.redisUrl, name: config.replica });
  redis.on('ready', () => void loadScripts(redis).catch(dropped('loading the Lua scripts'))); // run() loads missing scripts
  await redis.connect().catch(dropped('the first connection to Redis'));
  return redis;
}

/** The connection for subscriptions to lock releases: a subscribed connection cannot send other commands. */
export async function connectSubscriber(config: Config): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: config.redisUrl, name: `${config.replica}-subscriber` });
  await redis.connect().catch(dropped('the first connection to Redis for subscriptions'));
  return redis;
}

/** Connects to the servers on demand. */
export async function connectServers(config: Config): Promise<Servers> {
  const servers = new Servers(config.servers, config.replica);
  await servers.connect(loadScripts);
  return servers;
}

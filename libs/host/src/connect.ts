import type { Config } from '#lab/config';
import { dropped, Servers, SteppedRedis } from '#lab/step';
import { loadScripts } from '#lab/strategy';

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

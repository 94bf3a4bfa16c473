import type { Config } from '#lab/config';
import { Servers, SteppedRedis } from '#lab/step';
import { loadScripts } from '#lab/strategy';

/** The Redis of the locks. When it is away now, it goes on trying, and its strategies answer 503. */
export async function connectRedis(config: Config): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: config.redisUrl, name: config.replica });
  redis.on('ready', () => void loadScripts(redis).catch(() => undefined)); // run() loads what is missing
  await redis.connect().catch(() => undefined);
  return redis;
}

/** The connection that hears of releases: one that has subscribed can do nothing else. */
export async function connectSubscriber(config: Config): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url: config.redisUrl, name: `${config.replica}-hears` });
  await redis.connect().catch(() => undefined);
  return redis;
}

/** The servers on demand. */
export async function connectServers(config: Config): Promise<Servers> {
  const servers = new Servers(config.servers, config.replica);
  await servers.connect(loadScripts);
  return servers;
}

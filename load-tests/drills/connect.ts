import { SteppedCluster, SteppedRedis } from '#lab/step';
import { loadScripts, LocalProcess, RedisPubSub, type Tools } from '#lab/strategy';

type Connected = Pick<Tools, 'redis' | 'process'>;

/** Connects to one Redis and loads all scripts. A second connection subscribes to releases. */
export async function toServer(url: string, name: string): Promise<Connected> {
  const redis = await connect(url, name);
  const subscriber = await connect(url, `${name}-hears`);
  return { redis, process: new LocalProcess(name, new RedisPubSub(subscriber)) };
}

async function connect(url: string, name: string): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url, name });
  redis.on('ready', () => void loadScripts(redis).catch(() => undefined));
  await redis.connect();
  await loadScripts(redis);
  return redis;
}

/** Connects to a cluster and loads all scripts into its current primaries. Waiters poll: there is no subscription. */
export async function toCluster(urls: readonly string[], name: string): Promise<Connected> {
  const cluster = new SteppedCluster({ urls, name });
  await cluster.connect();
  await loadScripts(cluster.asRedis);
  return { redis: cluster.asRedis, process: new LocalProcess(name) };
}

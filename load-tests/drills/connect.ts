import { SteppedCluster, SteppedRedis } from '#lab/step';
import { loadScripts, LocalProcess, RedisPubSub, type Tools } from '#lab/strategy';

type Connected = Pick<Tools, 'redis' | 'process'>;

/** To one Redis, which knows all scripts then; a second connection hears of releases. */
export async function toServer(url: string, name: string): Promise<Connected> {
  const redis = await connect(url, name);
  const hears = await connect(url, `${name}-hears`);
  return { redis, process: new LocalProcess(name, new RedisPubSub(hears)) };
}

async function connect(url: string, name: string): Promise<SteppedRedis> {
  const redis = new SteppedRedis({ url, name });
  redis.on('ready', () => void loadScripts(redis).catch(() => undefined));
  await redis.connect();
  await loadScripts(redis);
  return redis;
}

/** To the cluster of these nodes; every primary of now knows all scripts then. Nobody hears: one polls. */
export async function toCluster(urls: readonly string[], name: string): Promise<Connected> {
  const cluster = new SteppedCluster({ urls, name });
  await cluster.connect();
  await loadScripts(cluster.asRedis);
  return { redis: cluster.asRedis, process: new LocalProcess(name) };
}

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { give } from './os-account';
import type { Claim } from './claim';
import type { Layout } from './layout';
import { infra } from './paths';
import type { PortRequest } from './ports';
import { demand, NEEDED } from './programs';
import { type ServerDefinition, type Server, startOnFreePorts } from './server';
import type { Conditions, ServerName } from './types';

export interface StartedRedis {
  readonly server: Server;
  readonly url: string;
}

/** A Redis of its own under this name; `env` is added to the environment of its process. */
export async function startRedis(
  layout: Layout,
  claim: Claim,
  name: ServerName = 'redis',
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  wish?: PortRequest,
): Promise<StartedRedis> {
  const program = demand(NEEDED.redis).path;
  const data = layout.dataFolder(name);
  const config = join(data, 'redis.conf');
  copyFileSync(infra('redis', 'redis.conf'), config);
  give(config, layout.account);
  const { server, ports } = await startOnFreePorts(
    [wish],
    ([port = 0]): ServerDefinition => ({
      name,
      ports: [port],
      command: {
        name,
        program,
        args: [config, '--port', String(port), '--bind', '127.0.0.1', '--dir', data, ...args],
        cwd: data,
        log: layout.log(name),
        env,
        account: layout.account,
      },
      answers: answersAt(port),
    }),
    claim,
  );
  return { server, url: address(ports[0] ?? 0) };
}

/** Whether the process with this id answers there. */
export const answersAt =
  (port: number) =>
  async (pid: number): Promise<boolean> =>
    (await info(address(port)))?.['process_id'] === String(pid);

const address = (port: number): string => `redis://127.0.0.1:${port}`;

/** Version and persistence of a Redis; what a managed Redis does not tell is `unknown`. */
export async function redisConditions(url: string): Promise<Conditions> {
  return withRedis(url, async (redis) => {
    const setting = async (name: string): Promise<string> => {
      const reply = await redis.config('GET', name).catch(() => undefined);
      return Array.isArray(reply) ? String(reply[1]) : 'unknown';
    };
    return {
      redis: parseInfo(await redis.info('server'))['redis_version'] ?? 'unknown',
      redisAppendonly: await setting('appendonly'),
      redisSave: await setting('save'),
    };
  });
}

/** INFO of a Redis; undefined when it does not answer. */
export async function info(url: string, section = 'server'): Promise<Record<string, string> | undefined> {
  try {
    return parseInfo(await withRedis(url, (redis) => redis.info(section)));
  } catch {
    return undefined;
  }
}

/** Uses a connection of its own. Rejects when the server is away or does not answer within a second. */
export async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: null,
    connectTimeout: 1000,
    // A paused server takes connections and never answers.
    enableReadyCheck: false,
    commandTimeout: 1000,
  });
  redis.on('error', () => undefined);
  // A failed connect has ended by itself; a disconnect after it would leave a timer of 2 s behind.
  await redis.connect();
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

const parseInfo = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+):(.*)\r$/gm)].map(([, key = '', value = '']) => [key, value]));

/**
 * How many replicas have all data and follow what is written. Each of two writes must be acknowledged: the first one may be in
 * the copy that a new replica was given, and that one is told nothing more until it has answered once, up to a second later.
 */
export async function acknowledgedBy(redis: Redis, replicas: number, patienceMs: number): Promise<number> {
  const first = await acknowledgedWrite(redis, replicas, patienceMs);
  return first < replicas ? first : acknowledgedWrite(redis, replicas, patienceMs);
}

/** A message that is published passes through the same stream as a write, and leaves no key. */
async function acknowledgedWrite(redis: Redis, replicas: number, patienceMs: number): Promise<number> {
  await redis.publish('lab:sync', '');
  return redis.wait(replicas, patienceMs);
}

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

/** Starts a private Redis with this name. `env` is added to the environment of its process. */
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

/** Whether the Redis on this port is the process with this id. */
export const answersAt =
  (port: number) =>
  async (pid: number): Promise<boolean> =>
    (await info(address(port)))?.['process_id'] === String(pid);

const address = (port: number): string => `redis://127.0.0.1:${port}`;

/** Version and persistence of a Redis; settings that a managed Redis hides are `unknown`. */
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

/** Runs `use` on a new connection. Rejects when the server is down or does not answer within a second. */
export async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: null,
    connectTimeout: 1000,
    // A paused server accepts connections and never answers.
    enableReadyCheck: false,
    commandTimeout: 1000,
  });
  redis.on('error', () => undefined);
  // Outside the try block: a disconnect after a failed connect would leave a timer of 2 s behind.
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
 * The number of replicas that have all data and receive new writes. Two writes must be acknowledged: the first one may be
 * part of the snapshot of a new replica, which receives no further write until its first acknowledgment, up to a second
 * later.
 */
export async function acknowledgedBy(redis: Redis, replicas: number, timeoutMs: number): Promise<number> {
  const first = await acknowledgedWrite(redis, replicas, timeoutMs);
  return first < replicas ? first : acknowledgedWrite(redis, replicas, timeoutMs);
}

/** PUBLISH is replicated like a write, and leaves no key. */
async function acknowledgedWrite(redis: Redis, replicas: number, timeoutMs: number): Promise<number> {
  await redis.publish('lab:sync', '');
  return redis.wait(replicas, timeoutMs);
}

import type { Decision, Limit, Limiter, LimiterTools, LimitExpectation } from '#lab/limit';
import type { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** Their windows open with the first request of a client, and end at once for all its requests. */
const AT_THE_EDGE: Limiter['expected'] = {
  edge: { must: ['over-limit'], may: [] } satisfies LimitExpectation,
};

const common = {
  defect: 'A fixed window: twice the limit at its edge.',
  next: { limiter: 'sliding-log', why: 'remembers when each request was admitted.' },
  options: ['max', 'windowMs'],
  promise: ({ max }: Limit) => max,
  fixedWindow: true,
  expected: AT_THE_EDGE,
  peer: true,
} as const;

/** Resolves, or rejects when the limit is reached, with the same fields. */
async function consume(limiter: RateLimiterRedis, client: string): Promise<[boolean, RateLimiterRes]> {
  try {
    return [true, await limiter.consume(client)];
  } catch (refused) {
    if (refused instanceof Error) throw refused; // an error of Redis; a refusal is not an Error
    return [false, refused as RateLimiterRes];
  }
}

/** One object of a package per limit and process, as an app would have it. */
const shared = <T>(
  { process }: LimiterTools,
  name: string,
  limit: Limit,
  create: () => Promise<T>,
): Promise<T> => process.get(`${name}:${limit.max}/${limit.windowMs}`, create);

const flexible: Limiter = {
  ...common,
  name: 'rate-limiter-flexible',
  mechanism: 'RateLimiterRedis: SET NX EX, INCRBY and PTTL in one Lua script. Windows are whole seconds.',
  source: 'npm: rate-limiter-flexible 11.',
  keys: (client, { max, windowMs }) => [`limit:flexible:${max}/${windowMs}:${client}`],

  async decide(client, limit, tools): Promise<Decision> {
    const { max, windowMs } = limit;
    const limiter = await shared(tools, 'flexible', limit, async () => {
      const { RateLimiterRedis: Limiter } = await import('rate-limiter-flexible');
      return new Limiter({
        storeClient: tools.redis,
        keyPrefix: `limit:flexible:${max}/${windowMs}`,
        points: max,
        duration: windowMs / 1000,
      });
    });
    const [admitted, { remainingPoints, msBeforeNext }] = await consume(limiter, client);
    return {
      admitted,
      limit: max,
      remaining: remainingPoints,
      resetMs: msBeforeNext,
      ...(!admitted && { retryAfterMs: msBeforeNext }),
    };
  },
};

const throttler: Limiter = {
  ...common,
  name: 'nestjs-throttler',
  // a client that is blocked in its turn has nothing for a whole window
  expected: { edge: { must: ['over-limit'], may: ['unfair'] } },
  mechanism:
    '@nestjs/throttler with its Redis storage: INCR and PTTL in one Lua script, sent as text with each request. A client over the limit is blocked for a window.',
  source:
    'npm: @nestjs/throttler 6 with @nest-lab/throttler-storage-redis 1, called as ThrottlerGuard calls it.',
  keys: (client) => [`{${client}:limit}:hits`, `{${client}:limit}:blocked`],

  async decide(client, limit, tools): Promise<Decision> {
    const { max, windowMs } = limit;
    const storage = await shared(tools, 'throttler', limit, async () => {
      const { ThrottlerStorageRedisService } = await import('@nest-lab/throttler-storage-redis');
      return new ThrottlerStorageRedisService(tools.redis);
    });
    const record = await storage.increment(client, windowMs, max, windowMs, 'limit');
    const resetMs = 1000 * (record.isBlocked ? record.timeToBlockExpire : record.timeToExpire);
    return {
      admitted: !record.isBlocked,
      limit: max,
      remaining: Math.max(0, max - record.totalHits),
      resetMs,
      ...(record.isBlocked && { retryAfterMs: resetMs }),
    };
  },
};

/** The npm packages that the limiters are compared with, each as an implementation of `Limiter`. */
export const PEERS: readonly Limiter[] = [flexible, throttler];

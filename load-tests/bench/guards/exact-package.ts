import type { Decision, Limit, Limiter, LimiterTools } from '#lab/limit';
import type RateLimiter from 'async-ratelimiter';

/** A package with the promise of `sliding-log`. Its answer has a reset in whole seconds, which is not used. */
export const asyncRatelimiter: Limiter = {
  name: 'async-ratelimiter',
  mechanism: 'A sorted set of request times, in one Lua script. The time is that of the process.',
  defect: 'Exact while the clocks of all replicas agree.',
  source: 'npm: async-ratelimiter 1.',
  next: { limiter: 'sliding-log', why: 'reads the clock of Redis.' },
  options: ['max', 'windowMs'],
  promise: ({ max }) => max,
  expected: {},
  peer: true,
  keys: (client) => [`limit:${client}`],

  async decide(client, limit, tools): Promise<Decision> {
    const limiter = await limiterOf(tools, limit);
    const { remaining } = await limiter.get({ id: client });
    return {
      admitted: remaining > 0,
      limit: limit.max,
      remaining: Math.max(0, remaining - 1),
      resetMs: limit.windowMs,
    };
  },
};

/** One object per process, as an app would have it. */
const limiterOf = ({ process, redis }: LimiterTools, { max, windowMs }: Limit): Promise<RateLimiter> =>
  process.get(`async:${max}/${windowMs}`, async () => {
    const { default: Limiter } = await import('async-ratelimiter');
    return new Limiter({ db: redis, max, duration: windowMs });
  });

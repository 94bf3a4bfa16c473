import { run } from '#lab/strategy';
import { randomUUID } from 'node:crypto';
import type { Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';
import { readLog } from '../shared/scripts';

export const slidingLogUnatomic: Limiter = {
  name: 'sliding-log-unatomic',
  mechanism:
    'A sorted set has the time of each admitted request: count first, then ZADD and PEXPIRE as commands of their own.',
  defect: 'Over the limit under load: requests that count at the same time all find room, and all are added.',
  source: 'Josiah Carlson, "Redis in Action", chapter 6: a check and a change that are not atomic.',
  next: { limiter: 'sliding-log', why: 'counts and adds in one script.' },
  options: ['max', 'windowMs'],
  promise: ({ max }) => max,
  // how many requests count at the same time is chance: clients with the same load have different numbers admitted
  expected: { edge: { must: ['over-limit'], may: ['unfair'] } },
  keys: (client, limit) => [limitKey('sliding-log-unatomic', client, limit)],

  async decide(client, limit, { redis, clock }) {
    const { max, windowMs } = limit;
    const key = limitKey('sliding-log-unatomic', client, limit);
    const reply = await run(redis, readLog, key, windowMs, clock.serverTime());
    const [count, time] = reply as [number, string];
    const decision = {
      limit: max,
      remaining: Math.max(0, max - count - 1),
      resetMs: windowMs,
      at: Number(time),
    };
    if (count >= max) return { ...decision, admitted: false, retryAfterMs: windowMs };
    await redis.zadd(key, time, randomUUID());
    await redis.pexpire(key, windowMs);
    return { ...decision, admitted: true };
  },
};

import type { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';

/** The time of Redis, milliseconds. */
export async function redisTime(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Number(microseconds) / 1000;
}

/** Resolves when Redis' own clock has reached the time; with the time that it shows then. */
export async function untilRedisTime(redis: Redis, at: number): Promise<number> {
  for (;;) {
    const now = await redisTime(redis);
    if (now >= at) return now;
    await delay(at - now);
  }
}

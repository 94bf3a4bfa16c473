import type { Clock } from '#lab/step';
import type { Redis } from 'ioredis';
import type { Limit, Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';

/** The shortest interval at which a process adds tokens, milliseconds: a faster rate adds several at once, so many at most. */
const LEAST_TICK_MS = 5;
const MOST_PER_TICK = 100;
/** A process stops to add tokens for a client that sent it nothing for so long: the memory of the lab is finite. */
const IDLE_MS = 60_000;

export const tokenList: Limiter = {
  name: 'token-list',
  mechanism:
    'A timer adds tokens to a list with RPUSH at the rate of the limit; a request takes one with LPOP.',
  defect:
    'Every replica has the timer: the rate is multiplied by the replicas. The list has no bound: after a quiet hour, all its tokens can be taken at once.',
  source: 'The token bucket of many articles: a list in Redis, filled by a scheduled task.',
  next: {
    limiter: 'token-bucket',
    why: 'computes the refill when a request comes: no timer, and a capacity.',
  },
  options: ['max', 'windowMs'],
  promise: ({ max }) => max,
  expected: { edge: { must: ['over-limit'], may: ['unfair'] } },
  keys: (client, limit) => [limitKey('token-list', client, limit)],

  async decide(client, limit, { redis, clock, process }) {
    const { max, windowMs } = limit;
    const key = limitKey('token-list', client, limit);
    const filler = process.get(key, () =>
      fill(key, limit, redis, clock, () => {
        process.delete(key);
      }),
    );
    filler.isAsked = true;
    const token = await redis.lpop(key);
    const decision = { limit: max, remaining: 0, resetMs: Math.ceil(windowMs / max) };
    return token === null
      ? { ...decision, admitted: false, retryAfterMs: decision.resetMs }
      : { ...decision, admitted: true };
  },
};

/** Adds tokens to the list at the rate of the limit, until the client has been idle for long. */
function fill(
  key: string,
  { max, windowMs }: Limit,
  redis: Redis,
  clock: Clock,
  onEnd: () => void,
): { isAsked: boolean } {
  const tickMs = Math.max(LEAST_TICK_MS, windowMs / max);
  const perTick = Math.min(MOST_PER_TICK, Math.round((tickMs * max) / windowMs));
  const tokens = Array.from({ length: perTick }, () => '1');
  const filler = { isAsked: true };
  let idleMs = 0;
  const ticker = clock.every(tickMs, async () => {
    idleMs = filler.isAsked ? 0 : idleMs + tickMs;
    filler.isAsked = false;
    if (idleMs < IDLE_MS) await redis.rpush(key, ...tokens);
    else {
      ticker.stop();
      onEnd();
      await redis.pexpire(key, windowMs);
    }
  });
  return filler;
}

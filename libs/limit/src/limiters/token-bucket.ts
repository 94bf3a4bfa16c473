import { run } from '#lab/strategy';
import type { Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';
import { readDecision } from '../shared/read-decision';
import { takeToken } from '../shared/scripts';

export const tokenBucket: Limiter = {
  name: 'token-bucket',
  mechanism:
    'A bucket of `burst` tokens is refilled with `max` tokens per window. A Lua script computes the refill from the time of Redis.',
  defect: 'Exact: at most `max` + `burst` in any window, because a full bucket can be emptied at once.',
  source: 'Stripe, "Scaling your API with rate limiters", 2017: the token bucket as a Lua script.',
  next: { limiter: 'leaky-bucket', why: 'spaces the requests evenly instead of admitting bursts.' },
  options: ['max', 'windowMs', 'burst'],
  burst: { least: 1, standard: (max) => max },
  promise: ({ max, burst }) => max + burst,
  expected: {},
  keys: (client, limit) => [limitKey('token-bucket', client, limit)],

  async decide(client, limit, { redis, clock }) {
    const { max, windowMs, burst } = limit;
    const key = limitKey('token-bucket', client, limit);
    const reply = await run(redis, takeToken, key, max / windowMs, burst, clock.serverTime());
    return readDecision(reply, limit);
  },
};

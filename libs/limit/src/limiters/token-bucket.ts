import { run } from '#lab/strategy';
import type { Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';
import { readDecision } from '../shared/read-decision';
import { conform } from '../shared/scripts';

export const tokenBucket: Limiter = {
  name: 'token-bucket',
  mechanism:
    'A bucket of `burst` tokens is refilled with `max` tokens per window. It is one number, the time at which it is full again (GCRA): a Lua script compares that with the time of Redis.',
  defect: 'Exact: at most `max` + `burst` in any window, because a full bucket can be emptied at once.',
  source:
    'Stripe, "Scaling your API with rate limiters", 2017; as one number: ITU-T I.371, generic cell rate algorithm.',
  next: { limiter: 'leaky-bucket', why: 'spaces the requests evenly instead of admitting bursts.' },
  options: ['max', 'windowMs', 'burst'],
  burst: { least: 1, standard: (max) => max },
  promise: ({ max, burst }) => max + burst,
  expected: {},
  keys: (client, limit) => [limitKey('token-bucket', client, limit)],

  async decide(client, limit, { redis, clock }) {
    const key = limitKey('token-bucket', client, limit);
    const interval = (1000 * limit.windowMs) / limit.max;
    // a full bucket: the last of its tokens is taken so many intervals too early
    const tolerance = (limit.burst - 1) * interval;
    return readDecision(await run(redis, conform, key, interval, tolerance, clock.serverTime()), limit);
  },
};

import { run } from '#lab/strategy';
import type { Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';
import { readDecision } from '../shared/read-decision';
import { logRequest } from '../shared/scripts';

export const slidingLog: Limiter = {
  name: 'sliding-log',
  mechanism:
    'A list has the time of each admitted request, the oldest first. One Lua script removes the old ones, counts, and adds.',
  defect: 'Exact. Its memory grows with the limit: one entry for each admitted request of a window.',
  source:
    'ClassDojo engineering, "Better rate limiting with Redis sorted sets", 2015; here as one script, on a list.',
  next: { limiter: 'token-bucket', why: 'needs one number per client, and lets bursts be chosen.' },
  options: ['max', 'windowMs'],
  promise: ({ max }) => max,
  expected: {},
  keys: (client, limit) => [limitKey('sliding-log', client, limit)],

  async decide(client, limit, { redis, clock }) {
    const { max, windowMs } = limit;
    const key = limitKey('sliding-log', client, limit);
    const reply = await run(redis, logRequest, key, max, windowMs, clock.serverTime());
    return readDecision(reply, limit);
  },
};

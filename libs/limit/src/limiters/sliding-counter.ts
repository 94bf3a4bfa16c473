import { run } from '#lab/strategy';
import type { Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';
import { readDecision } from '../shared/read-decision';
import { weighWindows } from '../shared/scripts';

export const slidingCounter: Limiter = {
  name: 'sliding-counter',
  mechanism:
    'Two counts: the window of the clock, and the one before, weighted by the part of it that the sliding window still covers.',
  defect:
    'An estimate: it assumes that the requests of the window before were spread evenly. When they came at its end, up to twice the limit is admitted.',
  source: 'Cloudflare, "How we built rate limiting capable of scaling to millions of domains", 2017.',
  next: { limiter: 'sliding-log', why: 'is exact, with one entry per admitted request.' },
  options: ['max', 'windowMs'],
  promise: ({ max }) => max,
  expected: { edge: { must: ['over-limit'], may: [] } },
  keys: (client, limit) => [limitKey('sliding-counter', client, limit)],

  async decide(client, limit, { redis, clock }) {
    const key = limitKey('sliding-counter', client, limit);
    const reply = await run(redis, weighWindows, key, limit.max, limit.windowMs, clock.serverTime());
    return readDecision(reply, limit);
  },
};

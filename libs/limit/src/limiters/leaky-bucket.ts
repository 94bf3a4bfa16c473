import { run } from '#lab/strategy';
import type { Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';
import { readDecision } from '../shared/read-decision';
import { conform } from '../shared/scripts';

/** A request that would wait longer is refused, whatever the queue has room for. Microseconds. */
const LONGEST_WAIT = 10_000_000;

export const leakyBucket: Limiter = {
  name: 'leaky-bucket',
  mechanism:
    'Requests leave a queue of `burst` places one by one, `max` per window. The queue is one number, the time at which the next request may leave (GCRA): a request that comes too early waits until it is due.',
  defect:
    'Exact, but requests wait. Without a queue (`burst=0`) the second of two requests at the same time is refused, however quiet the client was before.',
  source:
    'nginx, ngx_http_limit_req_module: "limit_req … burst"; J. Turner, "New directions in communications", 1986.',
  next: { limiter: 'token-bucket', why: 'admits a burst at once instead of delaying it.' },
  options: ['max', 'windowMs', 'burst'],
  burst: { least: 0, standard: () => 0 },
  promise: ({ max }) => max,
  expected: {},
  keys: (client, limit) => [limitKey('leaky-bucket', client, limit)],

  async decide(client, limit, { redis, clock }) {
    const key = limitKey('leaky-bucket', client, limit);
    const interval = (1000 * limit.windowMs) / limit.max;
    const tolerance = Math.min(limit.burst * interval, LONGEST_WAIT);
    const reply = await run(redis, conform, key, interval, tolerance, clock.serverTime());
    const decision = readDecision(reply, limit);
    const earlyMs = Number((reply as number[])[4]) / 1000;
    if (!decision.admitted || earlyMs === 0) return decision;
    await clock.sleep(earlyMs, 'WAIT', key);
    return { ...decision, at: Number(decision.at) + earlyMs };
  },
};

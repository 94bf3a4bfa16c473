import { run } from '#lab/strategy';
import type { Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';
import { readDecision } from '../shared/read-decision';
import { joinQueue } from '../shared/scripts';

/** A request that would wait longer is refused, whatever the queue has room for. Milliseconds. */
const LONGEST_WAIT_MS = 10_000;

export const leakyBucket: Limiter = {
  name: 'leaky-bucket',
  mechanism:
    'Requests leave a queue of `burst` places one by one, `max` per window: a Lua script computes when, and the request waits until then.',
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
    const intervalMs = limit.windowMs / limit.max;
    const key = limitKey('leaky-bucket', client, limit);
    const longestMs = Math.min(limit.burst * intervalMs, LONGEST_WAIT_MS);
    const reply = await run(redis, joinQueue, key, intervalMs, longestMs, clock.serverTime());
    const decision = readDecision(reply, limit);
    const waitMs = Number((reply as string[])[4]);
    if (decision.admitted && waitMs > 0) await clock.sleep(waitMs, 'WAIT', key);
    return decision;
  },
};

import { run } from '#lab/strategy';
import type { Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';
import { countWindow } from '../shared/scripts';

export const fixedWindow: Limiter = {
  name: 'fixed-window',
  mechanism:
    'INCR counts the requests of a window; the first one opens it with PEXPIRE, in the same Lua script.',
  defect:
    'Twice the limit in one window: the limit at the end of a window, and again at the beginning of the next one.',
  source: 'Redis documentation, INCR: "Pattern: Rate limiter 2", its Lua script.',
  next: { limiter: 'sliding-log', why: 'remembers when each request was admitted.' },
  options: ['max', 'windowMs'],
  promise: ({ max }) => max,
  fixedWindow: true,
  expected: {
    edge: { must: ['over-limit'], may: [] },
    'redis-down-open': { must: ['over-limit'], may: [] },
    'redis-down-closed': { must: ['limiter-down'], may: [] },
  },
  keys: (client, limit) => [limitKey('fixed-window', client, limit)],

  async decide(client, limit, { redis }) {
    const { max, windowMs } = limit;
    const reply = await run(redis, countWindow, limitKey('fixed-window', client, limit), windowMs);
    const [count, resetMs] = reply as [number, number];
    return count <= max
      ? { admitted: true, limit: max, remaining: max - count, resetMs }
      : { admitted: false, limit: max, remaining: 0, resetMs, retryAfterMs: resetMs };
  },
};

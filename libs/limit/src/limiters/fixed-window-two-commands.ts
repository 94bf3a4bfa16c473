import type { Limiter } from '../contract';
import { limitKey } from '../shared/limit-key';

export const fixedWindowTwoCommands: Limiter = {
  name: 'fixed-window-two-commands',
  mechanism: 'INCR counts the requests of a window; when it replies 1, PEXPIRE gives the key its expiry.',
  defect:
    'A process that dies between the two commands leaves a count without expiry: the client is refused for ever. Twice the limit at the edge of a window.',
  source: 'Redis documentation, INCR: "Pattern: Rate limiter 2", which warns of the race.',
  next: { limiter: 'fixed-window', why: 'runs both commands in one script.' },
  options: ['max', 'windowMs'],
  promise: ({ max }) => max,
  fixedWindow: true,
  expected: {
    edge: { must: ['over-limit'], may: [] },
    killed: { must: ['blocked-forever'], may: ['unfair'] },
  },
  keys: (client, limit) => [limitKey('fixed-window-two-commands', client, limit)],

  async decide(client, limit, { redis }) {
    const { max, windowMs } = limit;
    const key = limitKey('fixed-window-two-commands', client, limit);
    const count = await redis.incr(key);
    if (count === 1) await redis.pexpire(key, windowMs);
    const decision = { limit: max, remaining: Math.max(0, max - count), resetMs: windowMs };
    return count <= max
      ? { ...decision, admitted: true }
      : { ...decision, admitted: false, retryAfterMs: windowMs };
  },
};

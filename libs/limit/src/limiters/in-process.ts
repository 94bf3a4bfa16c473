import { limitKey } from '../shared/limit-key';
import type { Limiter } from '../contract';

/** The requests of one client in one window. */
interface Window {
  count: number;
  readonly endsAt: number;
}

export const inProcess: Limiter = {
  name: 'in-process',
  mechanism: 'A counter in the memory of the process, reset at the end of the window. No Redis.',
  defect:
    'Every replica counts for itself: the limit is multiplied by the replicas, and by two at the edge of a window.',
  source: '@nestjs/throttler and express-rate-limit with their default storage.',
  next: { limiter: 'fixed-window', why: 'counts in Redis, which all replicas share.' },
  options: ['max', 'windowMs'],
  promise: ({ max }) => max,
  expected: { edge: { must: ['over-limit'], may: ['unfair'] } },
  keys: () => [],

  decide(client, limit, { clock, process }) {
    const { max, windowMs } = limit;
    const key = limitKey('in-process', client, limit);
    const window = process.get<Window>(key, () => {
      clock.after(windowMs, () => {
        process.delete(key);
      });
      return { count: 0, endsAt: clock.now() + windowMs };
    });
    window.count++;
    const resetMs = Math.max(0, Math.ceil(window.endsAt - clock.now()));
    const decision = { limit: max, remaining: Math.max(0, max - window.count), resetMs };
    return Promise.resolve(
      window.count <= max
        ? { ...decision, admitted: true }
        : { ...decision, admitted: false, retryAfterMs: resetMs },
    );
  },
};

import type { Report } from './worker';

/** What one experiment came to. */
export interface Figures {
  /** Times that a lock was taken, per second. */
  readonly perSecond: number;
  /** Of these, times that it went to another waiter than the one before. */
  readonly handOversPerSecond: number;
  /**
   * The share of these that went straight back to the waiter before the last: two waiters of one process, whose commands
   * travel together, in turns. The others get nothing of it.
   */
  readonly backAndForth: number;
  /** From asking to having, milliseconds. */
  readonly waitP50: number;
  readonly waitP99: number;
  /** Commands that clients sent for each time that the lock was taken. */
  readonly commands: number;
  /** The least served waiter's share of the most served one's. */
  readonly fairness: number;
}

/** From the merged times of all processes of one host. */
export function figuresOf(reports: readonly Report[], waiters: number, measureMs: number): Figures {
  const all = reports.flatMap(({ acquisitions }) => acquisitions).toSorted((a, b) => a[1] - b[1]);
  const waits = all.map(([, , waited]) => waited / 1000).toSorted((a, b) => a - b);
  const quantile = (q: number): number =>
    waits[Math.min(waits.length - 1, Math.floor(q * waits.length))] ?? NaN;
  const taken = all.filter(([waiter], i) => i > 0 && waiter !== all[i - 1]?.[0]);
  const back = all.filter(([waiter], i) => i > 1 && waiter !== all[i - 1]?.[0] && waiter === all[i - 2]?.[0]);
  const counts = new Map<string, number>();
  for (const [waiter] of all) counts.set(waiter, (counts.get(waiter) ?? 0) + 1);
  const least = counts.size < waiters ? 0 : Math.min(...counts.values());
  return {
    perSecond: (1000 * all.length) / measureMs,
    handOversPerSecond: (1000 * taken.length) / measureMs,
    backAndForth: taken.length === 0 ? 0 : back.length / taken.length,
    waitP50: quantile(0.5),
    waitP99: quantile(0.99),
    commands: reports.reduce((sum, { commands }) => sum + commands, 0) / all.length,
    fairness: least / Math.max(...counts.values()),
  };
}

import { percentile } from '#load-tests/figures';
import type { Report } from './worker';

/** Results of one experiment. */
export interface Figures {
  /** Acquisitions per second. */
  readonly perSecond: number;
  /** Acquisitions by another waiter than the previous one, per second. */
  readonly handOversPerSecond: number;
  /**
   * The share of hand-overs that return the lock to the waiter before the last: two waiters of one process, whose commands
   * share packets, take turns and starve the others.
   */
  readonly backAndForth: number;
  /** From the request for the lock to its acquisition, milliseconds. */
  readonly waitP50: number;
  readonly waitP99: number;
  /** Commands that clients sent per acquisition. */
  readonly commands: number;
  /** Fewest acquisitions of one waiter divided by the most of another, 0 to 1. */
  readonly fairness: number;
}

/** Merges the reports of all processes; their times are comparable because they share one host's clock. */
export function figuresOf(reports: readonly Report[], waiters: number, measureMs: number): Figures {
  const all = reports.flatMap(({ acquisitions }) => acquisitions).toSorted((a, b) => a[1] - b[1]);
  const waits = all.map(([, , waited]) => waited / 1000).toSorted((a, b) => a - b);
  const taken = all.filter(([waiter], i) => i > 0 && waiter !== all[i - 1]?.[0]);
  const back = all.filter(([waiter], i) => i > 1 && waiter !== all[i - 1]?.[0] && waiter === all[i - 2]?.[0]);
  const counts = new Map<string, number>();
  for (const [waiter] of all) counts.set(waiter, (counts.get(waiter) ?? 0) + 1);
  const least = counts.size < waiters ? 0 : Math.min(...counts.values());
  return {
    perSecond: (1000 * all.length) / measureMs,
    handOversPerSecond: (1000 * taken.length) / measureMs,
    backAndForth: taken.length === 0 ? 0 : back.length / taken.length,
    waitP50: percentile(waits, 0.5),
    waitP99: percentile(waits, 0.99),
    commands: reports.reduce((sum, { commands }) => sum + commands, 0) / all.length,
    fairness: least / Math.max(...counts.values()),
  };
}

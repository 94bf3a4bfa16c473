import { median } from '#load-tests/figures';
import type { LoadObserver } from './observer';
import { completePlan } from './plan';
import { runLoad, type ReplicaControl } from './run-load';
import type { Target } from './target';

/** How fast the buyers of one product get the lock from one another: medians of several runs. */
export interface HandOvers {
  readonly strategy: string;
  /** Sales of the one product, each under the lock, per second. */
  readonly perSecond: number;
  /** Until the whole answer to an order, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Orders of all runs that were not sold although there was stock. */
  readonly notSold: number;
}

const ORDERS = 300;
const BUYERS = 20;
/** Longer than a run, so that slow locks are measured as slow instead of giving up. */
const WAIT_MS = 30_000;

/** Measures the strategies in turns in the same lab, so that the machine is equally fast for all of them. */
export async function measureHandOvers(
  lab: Target,
  control: ReplicaControl,
  strategies: readonly string[],
  { repeats, ...observer }: LoadObserver & { readonly repeats: number },
): Promise<readonly HandOvers[]> {
  const measured = strategies.map((strategy) => ({ strategy, runs: [] as HandOvers[] }));
  for (let repeat = 1; repeat <= repeats; repeat++)
    for (const { strategy, runs } of measured) {
      const plan = completePlan({
        strategy,
        balance: 'hand-overs',
        stock: ORDERS,
        requests: ORDERS,
        connections: BUYERS,
        options: { waitMs: WAIT_MS },
      });
      observer.progress(`${strategy}: hand-overs, run ${repeat} of ${repeats}`);
      const { latency, verdict } = await runLoad(lab, control, plan, observer);
      const { p50, p99, salesPerSecond } = latency;
      const notSold = ORDERS - (verdict.outcomes['APPLIED'] ?? 0);
      runs.push({ strategy, perSecond: salesPerSecond, p50, p99, notSold });
    }
  return measured.map(({ strategy, runs }) => ({
    strategy,
    perSecond: median(runs.map(({ perSecond }) => perSecond)),
    p50: median(runs.map(({ p50 }) => p50)),
    p99: median(runs.map(({ p99 }) => p99)),
    notSold: runs.reduce((sum, run) => sum + run.notSold, 0),
  }));
}

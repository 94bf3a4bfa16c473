import type { OnDemand } from '#lab/stack';
import type { Expectation } from '#lab/strategy';
import type { DrillSetup, DrillEnvironment } from './drill-environment';

/**
 * A failure of a server or a network, run against real servers. Two or more buyers are held at breakpoints, so that the
 * result is the same in every run.
 */
export interface Drill extends DrillSetup {
  /** `failover/token-lua`: the failure and the strategy. */
  readonly name: string;
  /** One-line description of the result. */
  readonly shows: string;
  /** Why the result is deterministic; follows "It is certain because" in the report. */
  readonly certainBy: string;
  /** Expected violations; absent: none. */
  readonly expected?: Expectation;
  /** Programs that the drill needs besides Redis and the database. */
  readonly needs?: readonly OnDemand[];
  /** Starts servers and buyers, causes the failure, and records the facts. */
  readonly play: (env: DrillEnvironment) => Promise<void>;
}

/** Both holders sell the same unit. */
export const OVERSOLD: Expectation = { must: ['oversold', 'lost-update'], may: [] };

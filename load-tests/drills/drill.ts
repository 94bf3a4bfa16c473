import type { OnDemand } from '#lab/stack';
import type { Expectation } from '#lab/strategy';
import type { DrillSetup, DrillEnvironment } from './drill-environment';

/**
 * One failure of a server or a network, played against real servers, with two or more buyers that are held where it
 * matters: it comes out the same every time.
 */
export interface Drill extends DrillSetup {
  /** `failover/token-lua`: what happens, and who is protected by what. */
  readonly name: string;
  /** What the row shows, a few words. */
  readonly shows: string;
  /** What makes it certain. */
  readonly certainBy: string;
  /** What the balances show; absent: nothing is wrong. */
  readonly expected?: Expectation;
  /** What is installed for it, besides Redis and the database. */
  readonly needs?: readonly OnDemand[];
  /** Starts servers, seats buyers, does the damage, states the facts. */
  readonly play: (env: DrillEnvironment) => Promise<void>;
}

/** Both holders have sold the same unit. */
export const OVERSOLD: Expectation = { must: ['oversold', 'lost-update'], may: [] };

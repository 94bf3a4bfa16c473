import type { ServerAddresses, StepInfo } from '#lab/step';
import type { Options } from '#lab/strategy';

/** Holds a buyer before or after the next step whose verb or script is `name`, or whose text begins with it. */
export interface Breakpoint {
  readonly when: 'before' | 'after';
  readonly name: string;
}

export const before = (name: string): Breakpoint => ({ when: 'before', name });
/** Holds only after a step whose reply is neither null nor 0, e.g. after a lock was taken. */
export const after = (name: string): Breakpoint => ({ when: 'after', name });

/** A buyer's name, the addresses of its servers, and how it buys one unit of `balance`. */
export interface BuyerConfig {
  readonly name: string;
  /** `redis://host:port`; several: nodes of a cluster. */
  readonly redis: string | readonly string[];
  readonly servers: ServerAddresses;
  /** ZooKeeper's session timeout in milliseconds. */
  readonly sessionMs?: number;
  /** `mysql://user:password@host:port`. */
  readonly mysql: string;
  readonly database: string;
  readonly lockDir: string;
  readonly balance: string;
  readonly strategy: string;
  /** The file that exports the strategy, if it is not in the catalogue. */
  readonly module?: string;
  /** See `fencedByTheServer`. */
  readonly fenced?: true;
  readonly options: Partial<Options>;
}

/** The settings that may differ between two purchases of a buyer. */
export type Purchase = Pick<BuyerConfig, 'strategy' | 'module' | 'options'>;

export type ToBuyer =
  | { readonly type: 'start'; readonly config: BuyerConfig }
  /** Another purchase on the same connections. */
  | { readonly type: 'next'; readonly purchase: Purchase }
  /** Starts the purchase, or releases the held step. Absent `until`: run to the end. */
  | { readonly type: 'go'; readonly until?: Breakpoint };

/** Times are CLOCK_MONOTONIC in microseconds, the same for all processes of the machine. */
export type FromBuyer =
  | { readonly type: 'connected' }
  | (Pick<StepInfo, 'kind' | 'verb' | 'text' | 'script' | 'server'> & {
      readonly type: 'step';
      /** Time of issue. */
      readonly at: number;
      /** Duration from issue to reply. */
      readonly took: number;
      readonly reply?: unknown;
      readonly error?: string;
      readonly errorCode?: string;
    })
  | { readonly type: 'held'; readonly at: number; readonly when: Breakpoint['when']; readonly text: string }
  | { readonly type: 'warned'; readonly at: number; readonly text: string }
  | { readonly type: 'end'; readonly at: number; readonly code: string; readonly text: string };

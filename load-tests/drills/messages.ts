import type { ServerAddresses, StepInfo } from '#lab/step';
import type { Options } from '#lab/strategy';

/** Where a buyer is to stop: before or after a step with this verb, script or beginning of its text. */
export interface Breakpoint {
  readonly when: 'before' | 'after';
  readonly name: string;
}

export const before = (name: string): Breakpoint => ({ when: 'before', name });
/** After a step that was answered neither with nothing nor with 0: a lock that was taken. */
export const after = (name: string): Breakpoint => ({ when: 'after', name });

/** Who a buyer is, where its servers are, and how it buys one unit of `balance`. */
export interface BuyerConfig {
  readonly name: string;
  /** `redis://host:port`; several: nodes of a cluster. */
  readonly redis: string | readonly string[];
  readonly servers: ServerAddresses;
  /** Milliseconds; of ZooKeeper. */
  readonly sessionMs?: number;
  /** `mysql://user:password@host:port`. */
  readonly mysql: string;
  readonly database: string;
  readonly lockDir: string;
  readonly balance: string;
  readonly strategy: string;
  /** The file that exports it, when it is not of the catalogue. */
  readonly module?: string;
  /** See `fencedByTheServer`. */
  readonly fenced?: true;
  readonly options: Partial<Options>;
}

/** What of a seat may change from one purchase to the next. */
export type Purchase = Pick<BuyerConfig, 'strategy' | 'module' | 'options'>;

export type ToBuyer =
  | { readonly type: 'sit'; readonly seat: BuyerConfig }
  /** Another purchase on the same connections. */
  | { readonly type: 'next'; readonly purchase: Purchase }
  /** Begin, or go on from where it is held. Absent `until`: to the end. */
  | { readonly type: 'go'; readonly until?: Breakpoint };

/** Times are CLOCK_MONOTONIC in microseconds, the same for all processes of the machine. */
export type FromBuyer =
  | { readonly type: 'seated' }
  | (Pick<StepInfo, 'kind' | 'verb' | 'text' | 'script' | 'server'> & {
      readonly type: 'step';
      /** When it was issued. */
      readonly at: number;
      /** From issue to reply. */
      readonly took: number;
      readonly reply?: unknown;
      readonly error?: string;
    })
  | { readonly type: 'held'; readonly at: number; readonly when: Breakpoint['when']; readonly text: string }
  | { readonly type: 'warned'; readonly at: number; readonly text: string }
  | { readonly type: 'end'; readonly at: number; readonly code: string; readonly text: string };

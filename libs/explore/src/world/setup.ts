import type { Options } from '#lab/strategy';
import type { Explored } from './explored';

/** The fixed inputs of a schedule. */
export interface Setup {
  /**
   * Each process loads it from its file (`fileOf`), so that processes share no module variables. A strategy object
   * without a file is run by all processes as it is: they share any state outside its arguments.
   */
  readonly strategy: Explored;
  readonly options: Options;
  /** Units of each balance; of no use for a guard. */
  readonly stock: number;
  /** Process of each actor, two or three: `['p1', 'p2']`. */
  readonly processes: readonly string[];
  /** Cart of each actor: one unit of each balance, in this order; absent: one `item` each. */
  readonly carts?: readonly (readonly string[])[];
}

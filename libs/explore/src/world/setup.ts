import type { Options, Strategy } from '#lab/strategy';

/** What a schedule is about. */
export interface Setup {
  /**
   * Each process loads it from its file (`fileOf`), so that no two processes share a variable of its modules. An object
   * without a file is run as it is by all processes: two of them then share what it keeps outside of its arguments.
   */
  readonly strategy: Strategy;
  readonly options: Options;
  /** Units of each balance. */
  readonly stock: number;
  /** The process of each actor, two or three: `['p1', 'p2']`. */
  readonly processes: readonly string[];
  /** What each actor wants, one unit of each, in the order of its cart; absent: everybody wants one `item`. */
  readonly carts?: readonly (readonly string[])[];
}

import type { Options, Strategy } from '#lab/strategy';

/** What a schedule is about. */
export interface Setup {
  readonly strategy: Strategy;
  readonly options: Options;
  readonly stock: number;
  /** The process of each actor, two or three: `['p1', 'p2']`. */
  readonly processes: readonly string[];
}

import { findGuard, isGuard, type Guard } from '#lab/guard';
import { findStrategy, type Strategy } from '#lab/strategy';

/** What a schedule explores: a strategy on balances, or a guard of actions. */
export type Explored = Strategy | Guard;

/** Finds a strategy, or a guard as `USE/GUARD`. Throws `UnknownStrategy` or `UnknownGuard` with the names that exist. */
export const findExplored = (name: string): Explored =>
  isGuard({ name }) ? findGuard(name) : findStrategy(name);

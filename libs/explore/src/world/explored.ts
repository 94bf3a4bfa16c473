import { findGuard, isGuard, type Guard } from '#lab/guard';
import { findStrategy, type Strategy } from '#lab/strategy';
import { findMixed } from './mixed';

/** What a schedule explores: a strategy on balances, or a guard of actions. */
export type Explored = Strategy | Guard;

/** Finds a strategy, a guard as `USE/GUARD`, or two strategies of two systems as `STRATEGY__STRATEGY`. Throws `UnknownStrategy` or `UnknownGuard` with the names that exist. */
export const findExplored = (name: string): Explored =>
  isGuard({ name }) ? findGuard(name) : (findMixed(name) ?? findStrategy(name));

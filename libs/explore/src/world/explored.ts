import { findGuard, isGuard, type Guard } from '#lab/guard';
import { findStrategy, type Strategy } from '#lab/strategy';
import { isSubject, type OwnSubject } from '#lab/own';
import { findMixed } from './mixed';
import { findExploredLimiter, isLimiter, type ExploredLimiter } from './explored-limiter';

/** What can be explored by its name: a strategy on balances, a guard of actions, or a rate limiter. */
export type Catalogued = Strategy | Guard | ExploredLimiter;

/** What a schedule explores: something of the catalogue, or a user's subject. */
export type Explored = Catalogued | OwnSubject;

/**
 * Finds a strategy, two strategies of two systems as `STRATEGY__STRATEGY`, a guard as `USE/GUARD`, or a limiter as
 * `limit/NAME`. Throws `UnknownStrategy`, `UnknownGuard` or `UnknownLimiter` with the names that exist.
 */
export function findExplored(name: string): Catalogued {
  if (isLimiter({ name })) return findExploredLimiter(name);
  return isGuard({ name }) ? findGuard(name) : (findMixed(name) ?? findStrategy(name));
}

/** Whether it changes balances: only then are there carts, stock and promises of the catalogue. */
export const isStrategy = (explored: Explored): explored is Strategy =>
  !isSubject(explored) && !isLimiter(explored) && !isGuard(explored);

import { isGuard } from '#lab/guard';
import { isSubject } from '#lab/own';
import { isLimiter, type Setup, type World } from '../world';
import { guardOnAction } from './guard-on-action';
import { ownSubject } from './own-subject';
import { limiterOnClient } from './limiter-on-client';
import { strategyOnBalance } from './strategy-on-balance';
import type { Subject } from './subject';

/** The subject of a setup: a strategy on balances, a guard of actions, a rate limiter, or a user's own. */
export function subjectOf(setup: Setup, world: World): Subject {
  const { strategy } = setup;
  if (isSubject(strategy)) return ownSubject({ ...setup, strategy }, world);
  if (isLimiter(strategy)) return limiterOnClient({ ...setup, strategy }, world);
  return isGuard(strategy)
    ? guardOnAction({ ...setup, strategy }, world)
    : strategyOnBalance({ ...setup, strategy }, world);
}

import { isGuard } from '#lab/guard';
import type { Setup, World } from '../world';
import { guardOnAction } from './guard-on-action';
import { strategyOnBalance } from './strategy-on-balance';
import type { Subject } from './subject';

/** The subject of a setup: a strategy on balances, or a guard of actions. */
export function subjectOf(setup: Setup, world: World): Subject {
  const { strategy } = setup;
  return isGuard(strategy)
    ? guardOnAction({ ...setup, strategy }, world)
    : strategyOnBalance({ ...setup, strategy }, world);
}

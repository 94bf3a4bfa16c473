import { Actions1700000002001 } from './migrations/1-actions';
import { CachedPages1700000002010 } from './migrations/2-cached-pages';

export { findGuard, GUARDS, isGuard, UnknownGuard, useNamed, useOf, USES } from './catalogue';
export { renderGuards } from './catalogue-page';
export type {
  Action,
  Done,
  Effect,
  EffectRules,
  EffectSources,
  Guard,
  GuardExpectation,
  GuardTools,
  OldPages,
  Page,
  Use,
  UseName,
} from './contract';
export { beginningOf, effectsOfOthers, resetOf } from './tables';

/** Migrations of the tables of all uses. */
export const GUARD_MIGRATIONS = [Actions1700000002001, CachedPages1700000002010];

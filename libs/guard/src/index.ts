import { Actions1700000002001 } from './migrations/1-actions';

export { findGuard, GUARDS, isGuard, UnknownGuard, useNamed, useOf, USES } from './catalogue';
export type {
  Action,
  Done,
  Effect,
  EffectRules,
  EffectSources,
  Guard,
  GuardExpectation,
  GuardTools,
  Use,
  UseName,
} from './contract';
export { resetOf } from './tables';

/** Migrations of the tables of all uses. */
export const GUARD_MIGRATIONS = [Actions1700000002001];

import { unknownName } from '#lab/step';
import type { Guard, Use, UseName } from './contract';
import { consumption } from './uses/consumption';
import { coupon } from './uses/coupon';
import { job } from './uses/job';
import { leader } from './uses/leader';
import { notification } from './uses/notification';
import { orderNumber } from './uses/order-number';
import { page } from './uses/page';
import { submission } from './uses/submission';
import { warmUp } from './uses/warm-up';

/** Every use of locks other than the stock, in teaching order. */
export const USES: readonly Use[] = [
  notification,
  submission,
  page,
  coupon,
  warmUp,
  orderNumber,
  job,
  leader,
  consumption,
];

/** Every guard, by use. */
export const GUARDS: readonly Guard[] = USES.flatMap(({ guards }) => guards);

export class UnknownGuard extends Error {
  readonly code = 'GUARD.UNKNOWN';

  constructor(name: string, known: readonly string[]) {
    super(unknownName('guard', name, known));
    this.name = 'UnknownGuard';
  }
}

/** Finds a guard by its whole name, `notification/lock`. Throws `UnknownGuard` with the names that exist. */
export function findGuard(name: string): Guard {
  const found = GUARDS.find((guard) => guard.name === name);
  if (found !== undefined) return found;
  const ofUse = GUARDS.filter((guard) => guard.name.startsWith(`${name.split('/')[0] ?? ''}/`));
  throw new UnknownGuard(
    name,
    (ofUse.length > 0 ? ofUse : GUARDS).map((guard) => guard.name),
  );
}

/** The use that a guard protects. */
export const useOf = ({ name }: Pick<Guard, 'name'>): Use => useNamed(name.split('/')[0] as UseName);

export function useNamed(name: UseName): Use {
  const found = USES.find((use) => use.name === name);
  if (found === undefined)
    throw new UnknownGuard(
      name,
      USES.map((use) => use.name),
    );
  return found;
}

/** Whether a guard of actions is meant: `USE/GUARD`. The explorer calls rate limiters `limit/NAME`. */
export const isGuard = (protection: { readonly name: string }): protection is Guard =>
  protection.name.includes('/') && !protection.name.startsWith('limit/');

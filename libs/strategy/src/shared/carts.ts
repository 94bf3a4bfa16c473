import { valueAfter, type Change, type Movement } from '#lab/balance';
import type { Tools } from '../contract';

/** By balance: when all carts lock their balances in the same order, no two wait for each other. */
export const sortedByBalance = (cart: readonly Change[]): readonly Change[] =>
  cart.toSorted((a, b) => (a.balance < b.balance ? -1 : 1));

/** The movement of a cart with one product. */
export function singleMovement([movement]: readonly Movement[]): Movement {
  if (movement === undefined) throw new Error('a cart with one product was sold without a movement');
  return movement;
}

/** Read, check, work, write, for a whole cart. One transaction writes all of it or nothing. */
export async function readModifyWriteAll(
  cart: readonly Change[],
  { balances, work }: Pick<Tools, 'balances' | 'work'>,
): Promise<readonly Movement[]> {
  const sales: Movement[] = [];
  for (const change of sortedByBalance(cart)) {
    const before = await balances.read(change.balance);
    sales.push({ ...change, before, after: valueAfter(change, before) });
  }
  await work();
  return balances.transaction((tx) => tx.writeAll(sales));
}

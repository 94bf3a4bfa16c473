import { valueAfter, type Change, type Movement } from '#lab/balance';
import type { Tools } from '../contract';

/** By balance: when all carts take their things in one and the same order, no two wait for each other. */
export const inOrder = (cart: readonly Change[]): readonly Change[] =>
  cart.toSorted((a, b) => (a.balance < b.balance ? -1 : 1));

/** The movement of a cart of one thing. */
export function only([movement]: readonly Movement[]): Movement {
  if (movement === undefined) throw new Error('a cart of one thing was sold without a movement');
  return movement;
}

/** Read, check, work, write, for a whole cart. One transaction writes all of it, or nothing. */
export async function readModifyWriteAll(
  cart: readonly Change[],
  { balances, work }: Pick<Tools, 'balances' | 'work'>,
): Promise<readonly Movement[]> {
  const sales: Movement[] = [];
  for (const change of inOrder(cart)) {
    const before = await balances.read(change.balance);
    sales.push({ ...change, before, after: valueAfter(change, before) });
  }
  await work();
  return balances.transaction((tx) => tx.writeAll(sales));
}

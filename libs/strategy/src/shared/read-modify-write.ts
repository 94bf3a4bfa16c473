import { valueAfter, type Change, type Movement } from '#lab/balance';
import type { Tools } from '../contract';

/** The tools, or a transaction in the place of the balances: then all of it happens there. */
type Workplace = Pick<Tools, 'work'> & { readonly balances: Pick<Tools['balances'], 'read' | 'write'> };

/** Read, check, work, write: what every lock on this page is there to protect. */
export async function readModifyWrite(
  change: Change,
  { balances, work }: Workplace,
  lost?: AbortSignal,
): Promise<Movement> {
  const before = await balances.read(change.balance);
  const after = valueAfter(change, before);
  await work();
  lost?.throwIfAborted();
  return balances.write(change, before, after);
}

import { valueAfter, type Change, type Movement } from '#lab/balance';
import type { Tools } from '../contract';

/** The tools; `balances` may be a transaction, which then contains the read and the write. */
type SectionTools = Pick<Tools, 'work'> & { readonly balances: Pick<Tools['balances'], 'read' | 'write'> };

/** Read, check, work, write: the critical section that the locks protect. */
export async function readModifyWrite(
  change: Change,
  { balances, work }: SectionTools,
  lost?: AbortSignal,
): Promise<Movement> {
  const before = await balances.read(change.balance);
  const after = valueAfter(change, before);
  await work();
  lost?.throwIfAborted();
  return balances.write(change, before, after);
}

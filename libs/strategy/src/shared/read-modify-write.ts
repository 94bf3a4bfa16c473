import { valueAfter, type Change, type Movement } from '#lab/balance';
import type { Tools } from '../contract';

/** Read, check, work, write: what every lock on this page is there to protect. */
export async function readModifyWrite(
  change: Change,
  { balances, work }: Tools,
  lost?: AbortSignal,
): Promise<Movement> {
  const before = await balances.read(change.balance);
  const after = valueAfter(change, before);
  await work();
  lost?.throwIfAborted();
  return balances.write(change, before, after);
}

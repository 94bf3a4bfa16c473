import type { Change, Segment } from '#lab/balance';
import { createHash } from 'node:crypto';
import type { Tools } from '../contract';
import { lockKey } from './with-lock';

/** Over so many rows, or keys, a stock is split at most. */
export const MOST_SEGMENTS = 4;
export const SEGMENT_NUMBERS: readonly number[] = Array.from({ length: MOST_SEGMENTS }, (_, n) => n);

export const segmentLockKey = (balance: string, strategy: string, segment: number): string =>
  `${lockKey(balance, strategy)}:${segment}`;

/** Every lock of a strategy that has one for each segment. */
export const segmentLockKeys = (balance: string, strategy: string): readonly string[] =>
  SEGMENT_NUMBERS.map((segment) => segmentLockKey(balance, strategy, segment));

/** Splits the stock, if nobody has. */
export const split = (balance: string, { balances }: Pick<Tools, 'balances'>): Promise<void> =>
  balances.segments.split(balance, MOST_SEGMENTS);

/**
 * The segments as they are now; the first request of all splits the stock. None: there is nothing to split, and nothing
 * comes either.
 */
export async function segmentsOf(
  { balance, delta }: Change,
  { balances }: Pick<Tools, 'balances'>,
): Promise<Segment[]> {
  const found = await balances.segments.read(balance);
  if (found.length > 0) return found;
  await balances.segments.split(balance, MOST_SEGMENTS, { evenEmpty: delta > 0 });
  return balances.segments.read(balance);
}

/**
 * The segments in the order in which a request tries them: by the hash of its id, so that requests begin everywhere alike.
 * This is routing only: requests with one id begin at one segment, and its lock lets one of them in.
 */
export function startingAt<S extends Segment>(request: string, segments: readonly S[]): readonly S[] {
  const first = createHash('sha1').update(request).digest().readUInt32BE() % Math.max(1, segments.length);
  return [...segments.slice(first), ...segments.slice(0, first)];
}

import type { Change, Segment } from '#lab/balance';
import { createHash } from 'node:crypto';
import type { Tools } from '../contract';
import { lockKey } from './with-lock';

/** Maximum number of rows, or keys, that a stock is split into. */
export const MAX_SEGMENTS = 4;
export const SEGMENT_NUMBERS: readonly number[] = Array.from({ length: MAX_SEGMENTS }, (_, n) => n);

export const segmentLockKey = (balance: string, strategy: string, segment: number): string =>
  `${lockKey(balance, strategy)}:${segment}`;

/** Every lock key of a strategy with one lock per segment. */
export const segmentLockKeys = (balance: string, strategy: string): readonly string[] =>
  SEGMENT_NUMBERS.map((segment) => segmentLockKey(balance, strategy, segment));

/** Splits the stock, unless it is split already. */
export const split = (balance: string, { balances }: Pick<Tools, 'balances'>): Promise<void> =>
  balances.segments.split(balance, MAX_SEGMENTS);

/**
 * The segments as they are now. The first request splits the stock. An empty stock is split only for a request that adds
 * units; otherwise the result is empty.
 */
export async function segmentsOf(
  { balance, delta }: Change,
  { balances }: Pick<Tools, 'balances'>,
): Promise<Segment[]> {
  const found = await balances.segments.read(balance);
  if (found.length > 0) return found;
  await balances.segments.split(balance, MAX_SEGMENTS, { evenEmpty: delta > 0 });
  return balances.segments.read(balance);
}

/**
 * The segments in the order in which a request tries them. A hash of its id selects the first one, which spreads the
 * requests evenly. Requests with the same id start at the same segment, whose lock admits one of them at a time.
 */
export function orderByHash<S extends Segment>(request: string, segments: readonly S[]): readonly S[] {
  const first = createHash('sha1').update(request).digest().readUInt32BE() % Math.max(1, segments.length);
  return [...segments.slice(first), ...segments.slice(0, first)];
}

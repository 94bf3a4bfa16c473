import { SoldOut, type Change, type Movement, type Segment, type SegmentWrite } from '#lab/balance';
import type { Tools } from '../contract';
import { orderByHash } from './segments';
import { allOf, anyOf } from './several-locks';
import { withLock, type Lock } from './with-lock';

/** A stock that is split into segments, each with its own lock. */
export interface SegmentedStock {
  /** All segments, as they are now. */
  readonly read: () => Promise<readonly Segment[]>;
  readonly lock: (segment: number) => Lock;
  /** Writes segments whose locks are held. */
  readonly sell: (writes: readonly SegmentWrite[]) => Promise<Movement>;
}

/**
 * Sells from one segment if one has enough; otherwise locks all of them and takes from several. A busy segment is skipped
 * while another one is free. `SoldOut` refers to the sum of all segments. Added units go into one segment.
 */
export async function sellFromSegments(
  change: Change,
  tools: Tools,
  { read, lock, sell }: SegmentedStock,
): Promise<Movement> {
  const wanted = -change.delta;
  const { options, clock } = tools;
  const end = clock.now() + options.waitMs;
  for (;;) {
    const seen = await read();
    if (unitsIn(seen) < wanted) throw new SoldOut(change, unitsIn(seen));
    const parts = seen.map((part) => ({ ...part, lock: lock(part.segment) }));
    const enough = orderByHash(change.request, parts).filter(({ amount }) => amount >= wanted);
    const locks = enough.length > 0 ? anyOf(locksOf(enough)) : allOf(locksOf(parts));
    const remaining = { ...tools, options: { ...options, waitMs: Math.max(0, end - clock.now()) } };
    const sale = await withLock(locks, remaining, async () => {
      const locked = new Set(parts.filter((part) => locks.holds(part.lock)).map(({ segment }) => segment));
      const held = (await read()).filter(({ segment }) => locked.has(segment));
      if (held.length === 0 || unitsIn(held) < wanted) return undefined; // sold before the lock was ours: read again
      await tools.work();
      return sell(takeFrom(held, wanted));
    });
    if (sale !== undefined) return sale;
  }
}

const locksOf = (parts: readonly { readonly lock: Lock }[]): Lock[] => parts.map(({ lock }) => lock);

export const unitsIn = (segments: readonly Segment[]): number =>
  segments.reduce((units, { amount }) => units + amount, 0);

/** Takes units from one segment after the other until `wanted` is reached. Below zero: adds them to the first. */
function takeFrom(segments: readonly Segment[], wanted: number): SegmentWrite[] {
  if (wanted < 0)
    return segments
      .slice(0, 1)
      .map(({ segment, amount }) => ({ segment, before: amount, after: amount - wanted }));
  let missing = wanted;
  return segments.flatMap(({ segment, amount }) => {
    const units = Math.min(amount, missing);
    missing -= units;
    return units > 0 ? [{ segment, before: amount, after: amount - units }] : [];
  });
}

import { SoldOut, type Change, type Movement, type Segment, type SegmentWrite } from '#lab/balance';
import type { Tools } from '../contract';
import { startingAt } from './segments';
import { allOf, anyOf } from './several-locks';
import { withLock, type Lock } from './with-lock';

/** A stock in parts, each with a lock of its own. */
export interface SegmentedStock {
  /** All parts, as they are now. */
  readonly look: () => Promise<readonly Segment[]>;
  readonly lock: (segment: number) => Lock;
  /** Takes units from parts whose locks are held. */
  readonly sell: (writes: readonly SegmentWrite[]) => Promise<Movement>;
}

/**
 * Sells from one segment if one has enough, otherwise from several. A segment that is busy is passed by while another
 * one is free, and waited for when none is: `SoldOut` is said only of what all segments have together. Units that come
 * go into one segment: each has room for them.
 */
export async function sellFromSegments(
  change: Change,
  tools: Tools,
  { look, lock, sell }: SegmentedStock,
): Promise<Movement> {
  const wanted = -change.delta;
  const { options, clock } = tools;
  const end = clock.now() + options.waitMs;
  for (;;) {
    const seen = await look();
    if (unitsIn(seen) < wanted) throw new SoldOut(change, unitsIn(seen));
    const parts = seen.map((part) => ({ ...part, lock: lock(part.segment) }));
    const enough = startingAt(change.request, parts).filter(({ amount }) => amount >= wanted);
    const locks = enough.length > 0 ? anyOf(locksOf(enough)) : allOf(locksOf(parts));
    const patience = { ...tools, options: { ...options, waitMs: Math.max(0, end - clock.now()) } };
    const sale = await withLock(locks, patience, async () => {
      const ours = new Set(parts.filter((part) => locks.holds(part.lock)).map(({ segment }) => segment));
      const held = (await look()).filter(({ segment }) => ours.has(segment));
      if (held.length === 0 || unitsIn(held) < wanted) return undefined; // somebody was faster: look again
      await tools.work();
      return sell(takeFrom(held, wanted));
    });
    if (sale !== undefined) return sale;
  }
}

const locksOf = (parts: readonly { readonly lock: Lock }[]): Lock[] => parts.map(({ lock }) => lock);

export const unitsIn = (segments: readonly Segment[]): number =>
  segments.reduce((units, { amount }) => units + amount, 0);

/** As much as there is from each, until it is enough; below zero: all of it into the first. */
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

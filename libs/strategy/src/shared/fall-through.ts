import { SoldOut, type Change, type Movement, type Segment, type SegmentWrite } from '#lab/balance';
import type { Tools } from '../contract';
import { startingAt } from './segments';
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
 * one is free, and waited for when none is: `SoldOut` is said only of what all segments have together.
 */
export async function sellFromSegments(
  change: Change,
  tools: Tools,
  { look, lock, sell }: SegmentedStock,
): Promise<Movement> {
  const wanted = -change.delta;
  for (;;) {
    const seen = await look();
    if (unitsIn(seen) < wanted) throw new SoldOut(change, unitsIn(seen));
    const enough = startingAt(change.request, seen).filter(({ amount }) => amount >= wanted);
    const locks = enough.length > 0 ? anyOf(enough, lock) : allOf(seen, lock);
    const sale = await withLock(locks, tools, async () => {
      const held = (await look()).filter(({ segment }) => locks.holds(segment));
      if (unitsIn(held) < wanted) return undefined; // somebody was faster: look again
      await tools.work();
      return sell(takeFrom(held, wanted));
    });
    if (sale !== undefined) return sale;
  }
}

export const unitsIn = (segments: readonly Segment[]): number =>
  segments.reduce((units, { amount }) => units + amount, 0);

/** As much as there is from each, until it is enough. */
function takeFrom(segments: readonly Segment[], wanted: number): SegmentWrite[] {
  let missing = wanted;
  return segments.flatMap(({ segment, amount }) => {
    const units = Math.min(amount, missing);
    missing -= units;
    return units > 0 ? [{ segment, before: amount, after: amount - units }] : [];
  });
}

/** Locks of several segments, as one. */
export interface SegmentLocks extends Lock {
  holds(segment: number): boolean;
}

type LockOf = (segment: number) => Lock;

/** The first one that is free. */
function anyOf(segments: readonly Segment[], lockOf: LockOf): SegmentLocks {
  return locksOf(segments, lockOf, async (all, take) => {
    for (const each of all) if (await take(each)) return true;
    return false;
  });
}

/** All or none: who waits for one of them holds no other, so that nobody waits in a circle. */
export function allOf(segments: readonly Pick<Segment, 'segment'>[], lockOf: LockOf): SegmentLocks {
  return locksOf(segments, lockOf, async (all, take, giveBack) => {
    for (const each of all) {
      if (await take(each)) continue;
      await giveBack();
      return false;
    }
    return true;
  });
}

type Numbered = readonly [segment: number, lock: Lock];

function locksOf(
  segments: readonly Pick<Segment, 'segment'>[],
  lockOf: LockOf,
  acquire: (
    all: readonly Numbered[],
    take: (one: Numbered) => Promise<boolean>,
    giveBack: () => Promise<void>,
  ) => Promise<boolean>,
): SegmentLocks {
  const all = segments.map(({ segment }): Numbered => [segment, lockOf(segment)]);
  const held = new Map<number, Lock>();
  let key = all[0]?.[1].key ?? '';
  const take = async ([segment, lock]: Numbered): Promise<boolean> => {
    key = lock.key; // the one to wait for, if it is busy
    const isOurs = await lock.tryAcquire();
    if (isOurs) held.set(segment, lock);
    return isOurs;
  };
  const giveBack = async (): Promise<void> => {
    const released = await Promise.allSettled([...held.values()].map((lock) => lock.release()));
    held.clear();
    const failed = released.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
  return {
    get key() {
      return key;
    },
    holds: (segment) => held.has(segment),
    tryAcquire: () => acquire(all, take, giveBack),
    release: giveBack,
  };
}

import { shares, type Segment, type SegmentWrite } from '#lab/balance';
import { OutcomeUnknown } from '#lab/step';
import type { Redis } from 'ioredis';
import type { Reconciling, Strategy, Tools } from '../contract';
import { sellFromSegments, unitsIn } from '../shared/fall-through';
import { changeCount, run } from '../shared/scripts';
import { MAX_SEGMENTS, SEGMENT_NUMBERS, segmentLockKey, segmentLockKeys } from '../shared/segments';
import { allOf } from '../shared/several-locks';
import { tokenLock } from '../shared/token-lock';
import { withLock, type Lock } from '../shared/with-lock';

const NAME = 'segmented-redis';
const countKey = (balance: string, segment: number): string => `stock:{${balance}}:${segment}`;
const countKeys = (balance: string): string[] => SEGMENT_NUMBERS.map((n) => countKey(balance, n));

/** The counts. Undefined when none exists: they were never loaded, or Redis has restarted empty. */
async function countsOf(balance: string, redis: Redis): Promise<Segment[] | undefined> {
  const counts = await redis.mget(countKeys(balance));
  if (counts.every((count) => count === null)) return undefined;
  return counts.map((count, segment) => ({ segment, amount: Number(count ?? 0) }));
}

/** The arguments of MSET that spread `stock` over the counts: key, value, key, value … */
const spread = (balance: string, stock: number): (string | number)[] =>
  shares(stock, MAX_SEGMENTS).flatMap((units, segment) => [countKey(balance, segment), units]);

/** MSETNX: if several requests load the counts, the first one wins. */
async function preheat(
  balance: string,
  { balances, redis }: Pick<Tools, 'balances' | 'redis'>,
): Promise<void> {
  await redis.msetnx(...spread(balance, await balances.read(balance)));
}

const lockOf =
  (balance: string, tools: Reconciling) =>
  (segment: number): Lock =>
    tokenLock(segmentLockKey(balance, NAME, segment), tools);

export const segmentedRedis: Strategy = {
  name: NAME,
  mechanism:
    'The stock is preloaded into several counts in Redis, each with its own lock. A hash of the request id selects the first count to try; the others follow as in segmented. The database is updated afterwards, with its own WHERE stock >= n.',
  defect:
    'A replica that dies between the count and the row has taken units that no buyer gets: undersold until the next reconciliation (POST /lab/inventory/reconcile). A buyer who arrives before a write fails receives "sold out", although the units are returned afterwards. When Redis restarts empty while units are added, the counts may lack them until the next reconciliation.',
  source: 'The flash-sale articles: "spread a hot stock over several keys, and route buyers by modulo".',
  next: { strategy: 'redis-decr', why: 'needs no lock: a Lua script checks and decrements in one step.' },
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  locks: (balance) => segmentLockKeys(balance, NAME),
  keys: countKeys,
  usesRequestId: true,
  lacks: ['survivesDeadHolder', 'survivesFailedWrite'],
  expected: {
    'holder-killed': { must: ['undersold'], may: [] },
    'work-outlives-lease': { must: ['overlap'], may: [] },
  },

  prepare: preheat,

  apply(change, tools) {
    const { balances, redis, warn } = tools;
    const { balance } = change;
    // Not SET: if the lock is lost, the counts may have been loaded again, or changed, since they were read.
    const changeCounts = async (writes: readonly SegmentWrite[], how: 'apply' | 'revert'): Promise<void> => {
      for (const { segment, before, after } of writes) {
        const units = how === 'apply' ? after - before : before - after;
        await run(redis, changeCount, countKey(balance, segment), units);
      }
    };
    return sellFromSegments(change, tools, {
      read: async () => {
        for (;;) {
          const counts = await countsOf(balance, redis);
          if (counts !== undefined) return counts;
          await preheat(balance, tools);
        }
      },
      lock: lockOf(balance, tools),
      sell: async (writes) => {
        if (change.delta > 0) {
          const movement = await balances.writeIfEnough(change); // first, because counted units can be bought
          await changeCounts(writes, 'apply').catch((error: unknown) => {
            warn(`the units of ${change.request} are not counted: reconcile the product`, error);
          });
          return movement;
        }
        try {
          await changeCounts(writes, 'apply');
          return await balances.writeIfEnough(change);
        } catch (error) {
          if (error instanceof OutcomeUnknown) throw error; // the reconciler decides
          await changeCounts(writes, 'revert');
          throw error;
        }
      },
    });
  },

  /** While all locks are held, no request is between a count and the row, and the row is right. */
  reconcile(balance, tools) {
    const { balances, redis } = tools;
    const all = allOf(SEGMENT_NUMBERS.map(lockOf(balance, tools)));
    return withLock(all, tools, async () => {
      const counts = await countsOf(balance, redis);
      if (counts === undefined) return 0;
      const stock = await balances.read(balance);
      await redis.mset(...spread(balance, stock));
      return stock - unitsIn(counts);
    });
  },
};

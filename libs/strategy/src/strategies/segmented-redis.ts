import { shares, type Segment, type SegmentWrite } from '#lab/balance';
import { OutcomeUnknown } from '#lab/step';
import type { Redis } from 'ioredis';
import type { Reconciling, Strategy, Tools } from '../contract';
import { sellFromSegments, unitsIn } from '../shared/fall-through';
import { MAX_SEGMENTS, SEGMENT_NUMBERS, segmentLockKey, segmentLockKeys } from '../shared/segments';
import { allOf } from '../shared/several-locks';
import { tokenLock } from '../shared/token-lock';
import { withLock, type Lock } from '../shared/with-lock';

const NAME = 'segmented-redis';
const countKey = (balance: string, segment: number): string => `stock:{${balance}}:${segment}`;
const countKeys = (balance: string): string[] => SEGMENT_NUMBERS.map((n) => countKey(balance, n));

/** The counts; undefined when there are none: never loaded, or Redis has restarted empty. */
async function countsOf(balance: string, redis: Redis): Promise<Segment[] | undefined> {
  const counts = await redis.mget(countKeys(balance));
  if (counts.every((count) => count === null)) return undefined;
  return counts.map((count, segment) => ({ segment, amount: Number(count ?? 0) }));
}

/** All counts at once, as `stock` has it: key, value, key, value … */
const spread = (balance: string, stock: number): (string | number)[] =>
  shares(stock, MAX_SEGMENTS).flatMap((units, segment) => [countKey(balance, segment), units]);

/** NX: of several who load the counts, the first one counts. */
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
    'The stock is preheated into several counts in Redis, each with a lock of its own; a request begins at one of them, by its hash, and goes on as in segmented. The database follows, and keeps its own WHERE stock >= n.',
  defect:
    'A replica that dies between the count and the row has taken units that nobody gets: undersold until the counts are settled (POST /lab/inventory/reconcile). Who comes before a write that then fails is told that all are sold, although its units go back.',
  source: 'The flash-sale articles: "spread a hot stock over several keys, and route buyers by modulo".',
  next: 'redis-decr needs no lock: Lua checks and takes in one step.',
  options: ['leaseMs', 'waitMs', 'retryMs', 'workMs'],
  locks: (balance) => segmentLockKeys(balance, NAME),
  keys: countKeys,
  lacks: ['survivesDeadHolder', 'survivesFailedWrite'],
  expected: {
    'holder-killed': { must: ['undersold'], may: [] },
    'work-outlives-lease': { must: ['overlap'], may: [] },
  },

  prepare: preheat,

  apply(change, tools) {
    const { balances, redis, warn } = tools;
    const { balance } = change;
    const setCounts = async (writes: readonly SegmentWrite[], to: 'before' | 'after'): Promise<void> => {
      // XX: where Redis has forgotten the counts meanwhile, none is made up
      for (const write of writes) await redis.set(countKey(balance, write.segment), write[to], 'XX');
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
          const movement = await balances.writeIfEnough(change); // first: what is counted can be bought
          await setCounts(writes, 'after').catch((error: unknown) => {
            warn(`the units of ${change.request} are not counted`, error);
          });
          return movement;
        }
        try {
          await setCounts(writes, 'after');
          return await balances.writeIfEnough(change);
        } catch (error) {
          if (error instanceof OutcomeUnknown) throw error; // who settles the counts finds out
          await setCounts(writes, 'before');
          throw error;
        }
      },
    });
  },

  /** Settles: under all locks nobody is between a count and the row, and the row is right. */
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

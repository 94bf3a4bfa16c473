import { SoldOut } from '#lab/balance';
import { OutcomeUnknown } from '#lab/step';
import type { Strategy } from '../contract';
import { lowerStock, run, settleStock, takeStock } from '../shared/scripts';

const countKey = (balance: string): string => `stock:{${balance}}`;
const takenKey = (balance: string): string => `stock:{${balance}}:taken`;
const MISSING = -2;

export const redisDecr: Strategy = {
  name: 'redis-decr',
  mechanism:
    'No lock: a Lua script checks and decrements a count in Redis, and writes down who took how much; the database follows, and keeps its own WHERE stock >= n.',
  defect:
    'A replica that dies between the two has taken units that nobody gets: undersold until somebody reconciles (POST /lab/inventory/reconcile). Who comes before a write that then fails is told that all are sold, although its unit goes back. Without the WHERE, units that are given back, or a count that is loaded anew, while a write is on its way would oversell.',
  source: 'The flash-sale articles: "deduct the stock in Redis first".',
  next: 'conditional-update alone is exact: the count before it only spares the database.',
  options: ['workMs'],
  keys: (balance) => [countKey(balance), takenKey(balance)],
  lacks: ['survivesDeadHolder', 'survivesFailedWrite'],
  expected: { 'holder-killed': { must: ['undersold'], may: [] } },

  async apply(change, { balances, redis, work, warn }) {
    const keys = [countKey(change.balance), takenKey(change.balance)] as const;
    const settle = (outcome: 'sold' | 'unsold'): Promise<unknown> =>
      run(redis, settleStock, keys, change.request, outcome).catch((error: unknown) => {
        warn(`${change.request} stays unsettled`, error);
      });
    const take = async (): Promise<number> => {
      try {
        return Number(await run(redis, takeStock, keys, -change.delta, change.request));
      } catch (error) {
        await settle('unsold'); // only the reply may have been lost
        throw error;
      }
    };

    let left = await take();
    while (left === MISSING) {
      // NX: of several who load the count, the first counts
      await redis.set(countKey(change.balance), await balances.read(change.balance), 'NX');
      left = await take();
    }
    if (left < 0) throw new SoldOut(change);
    try {
      await work();
      const movement = await balances.writeIfEnough(change);
      await settle('sold');
      return movement;
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) await settle('unsold'); // else the reconciler finds out
      throw error;
    }
  },

  /**
   * Whoever has taken units and has no movement gets none: the units go back, once. Should its write arrive all the
   * same, the row decides whether there is enough, and the units are taken again.
   */
  async reconcile(balance, { balances, redis }) {
    const keys = [countKey(balance), takenKey(balance)] as const;
    if ((await redis.exists(countKey(balance))) === 0) return 0; // it will be loaded
    const takers = Object.keys(await redis.hgetall(takenKey(balance)));
    const sold = await balances.requestsWithMovement(balance, takers);
    let changed = 0;
    for (const request of takers) {
      const outcome = sold.has(request) ? 'sold' : 'missing';
      changed += Number(await run(redis, settleStock, keys, request, outcome));
    }
    return changed + Number(await run(redis, lowerStock, keys, await balances.read(balance)));
  },
};

import { SoldOut } from '#lab/balance';
import type { Strategy } from '../contract';
import { run, takeStock } from '../shared/scripts';

const stockKey = (balance: string): string => `stock:{${balance}}`;
const NOT_ENOUGH = -1;
const MISSING = -2;

export const redisDecr: Strategy = {
  name: 'redis-decr',
  mechanism:
    'No lock: a Lua script checks and decrements a count in Redis; the database follows, and keeps its own WHERE stock >= n.',
  defect:
    'A replica that dies between the two has taken units that nobody gets: undersold until somebody reconciles. Without the WHERE, a count that is loaded anew while writes are on their way would oversell.',
  source: 'The flash-sale articles: "deduct the stock in Redis first".',
  next: 'conditional-update alone is exact: the count before it only spares the database.',
  options: ['workMs'],
  keys: (balance) => [stockKey(balance)],
  lacks: ['survivesDeadHolder'],
  expected: { 'holder-killed': { must: ['undersold'], may: [] } },

  async apply(change, { balances, redis, work }) {
    const key = stockKey(change.balance);
    const take = async (): Promise<number> => Number(await run(redis, takeStock, key, -change.delta));
    let left = await take();
    if (left === MISSING) {
      // NX: of several who load the count, the first counts
      await redis.set(key, await balances.read(change.balance), 'NX');
      left = await take();
    }
    if (left === NOT_ENOUGH) throw new SoldOut(change);
    await work();
    try {
      return await balances.writeIfEnough(change);
    } catch (error) {
      await redis.incrby(key, -change.delta);
      throw error;
    }
  },
};

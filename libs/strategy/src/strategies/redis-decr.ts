import { SoldOut, type Change, type Movement } from '#lab/balance';
import { OutcomeUnknown } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { Strategy, Tools } from '../contract';
import { correctCount, countUnits, run, settleStock, takeStock } from '../shared/scripts';

const countKey = (balance: string): string => `stock:{${balance}}`;
const takenKey = (balance: string): string => `stock:{${balance}}:taken`;
/** The reconciliation that may correct the count. */
const reconciliationKey = (balance: string): string => `stock:{${balance}}:reconciliation`;
const MISSING = -2;

export const redisDecr: Strategy = {
  name: 'redis-decr',
  mechanism:
    'No lock: a Lua script checks and decrements a count in Redis, and records which operation took how many units. The database is updated afterwards, with its own WHERE stock >= n.',
  defect:
    'A replica that dies between the two steps has taken units that no buyer gets: undersold until the next reconciliation (POST /lab/inventory/reconcile). Its operation stays listed until the product is reset, because its write may still arrive. A buyer who arrives before a write fails receives "sold out", although the unit is returned afterwards. When Redis restarts empty while units are added, the count may lack them until the next reconciliation. Without the WHERE clause, units that are returned, or a count that is reloaded, while a write is in flight would oversell.',
  source: 'The flash-sale articles: "deduct the stock in Redis first".',
  next: {
    strategy: 'conditional-update',
    why: 'alone is exact; the count only reduces the load on the database.',
  },
  options: ['workMs'],
  keys: (balance) => [countKey, takenKey, reconciliationKey].map((key) => key(balance)),
  lacks: ['survivesDeadHolder', 'survivesFailedWrite'],
  expected: { 'holder-killed': { must: ['undersold'], may: [] } },

  async apply(change, tools) {
    if (change.delta > 0) return addUnits(change, tools);
    const { balances, redis, work, warn } = tools;
    const keys = [countKey(change.balance), takenKey(change.balance)] as const;
    const operation = randomUUID();
    const settle = (outcome: 'sold' | 'unsold'): Promise<unknown> =>
      run(redis, settleStock, keys, operation, outcome).catch((error: unknown) => {
        warn(`the units of ${change.request} are not settled: reconcile the product`, error);
      });
    const take = async (): Promise<number> => {
      try {
        return Number(await run(redis, takeStock, keys, -change.delta, operation));
      } catch (error) {
        await settle('unsold'); // perhaps only the reply was lost, and the units are taken
        throw error;
      }
    };

    let left = await take();
    while (left === MISSING) {
      await load(change.balance, tools);
      left = await take();
    }
    if (left < 0) throw new SoldOut(change);
    try {
      await work();
      const movement = await balances.writeIfEnough({ ...change, operation });
      await settle('sold');
      return movement;
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) await settle('unsold'); // otherwise the reconciler decides
      throw error;
    }
  },

  /**
   * The units of an operation without a movement are returned, once. If its write arrives later, the row decides whether
   * there is enough stock, and the next reconciliation takes the units again. Then the count is corrected by the row.
   */
  async reconcile(balance, { balances, redis }) {
    const keys = [countKey(balance), takenKey(balance)] as const;
    const count = await redis.get(countKey(balance));
    if (count === null) return 0; // the next request loads it
    const unsettled = Object.keys(await redis.hgetall(takenKey(balance)));
    const sold = await balances.operationsWithMovement(balance, unsettled);
    let settled = 0;
    for (const operation of unsettled) {
      const outcome = sold.has(operation) ? 'sold' : 'missing';
      settled += Number(await run(redis, settleStock, keys, operation, outcome));
    }
    const reconciliation = randomUUID();
    await redis.set(reconciliationKey(balance), reconciliation);
    const stock = await balances.read(balance);
    const corrected = await run(
      redis,
      correctCount,
      [...keys, reconciliationKey(balance)],
      reconciliation,
      stock,
      Number(count) + settled,
    );
    return settled + Number(corrected);
  },
};

/** NX: if several requests load the count, the first one wins. */
const load = async (balance: string, { balances, redis }: Pick<Tools, 'balances' | 'redis'>) =>
  redis.set(countKey(balance), await balances.read(balance), 'NX');

/**
 * Writes the units to the row first and counts them then, because counted units can be bought. If Redis has restarted empty
 * in the meantime, the count may include them already: it is then too high, which the row refuses.
 */
async function addUnits(change: Change, tools: Tools): Promise<Movement> {
  const { balances, redis, work, warn } = tools;
  const { balance, request, delta } = change;
  await load(balance, tools); // a count that is loaded during the write could include these units twice, or never
  await work();
  const movement = await balances.writeIfEnough(change);
  await run(redis, countUnits, [countKey(balance), reconciliationKey(balance)], delta).catch(
    (error: unknown) => {
      warn(`the units of ${request} are not counted: reconcile the product`, error);
    },
  );
  return movement;
}

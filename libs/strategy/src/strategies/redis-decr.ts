import { SoldOut, type Change, type Movement } from '#lab/balance';
import { OutcomeUnknown } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { Strategy, Tools } from '../contract';
import { countUnits, lowerStock, run, settleStock, takeStock } from '../shared/scripts';

const countKey = (balance: string): string => `stock:{${balance}}`;
const takenKey = (balance: string): string => `stock:{${balance}}:taken`;
/** Added units that are being written to the row, by operation; and the number of such operations counted so far. */
const incomingKey = (balance: string): string => `stock:{${balance}}:coming`;
const countedKey = (balance: string): string => `stock:{${balance}}:counted`;
const MISSING = -2;

export const redisDecr: Strategy = {
  name: 'redis-decr',
  mechanism:
    'No lock: a Lua script checks and decrements a count in Redis, and records which operation took how many units. The database is updated afterwards, with its own WHERE stock >= n.',
  defect:
    'A replica that dies between the two steps has taken units that no buyer gets: undersold until the next reconciliation (POST /lab/inventory/reconcile). Its operation stays listed until the product is reset, because its write may still arrive. A buyer who arrives before a write fails receives "sold out", although the unit is returned afterwards. Without the WHERE clause, units that are returned, or a count that is reloaded, while a write is in flight would oversell.',
  source: 'The flash-sale articles: "deduct the stock in Redis first".',
  next: {
    strategy: 'conditional-update',
    why: 'alone is exact; the count only reduces the load on the database.',
  },
  options: ['workMs'],
  keys: (balance) => [countKey, takenKey, incomingKey, countedKey].map((key) => key(balance)),
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
   * there is enough stock, and the next reconciliation takes the units again.
   */
  async reconcile(balance, { balances, redis }) {
    const keys = [countKey(balance), takenKey(balance)] as const;
    if ((await redis.exists(countKey(balance))) === 0) return 0; // the next request loads it
    const arrived = await countArrivals(balance, { balances, redis });
    const unsettled = Object.keys(await redis.hgetall(takenKey(balance)));
    const sold = await balances.operationsWithMovement(balance, unsettled);
    let changed = 0;
    for (const operation of unsettled) {
      const outcome = sold.has(operation) ? 'sold' : 'missing';
      changed += Number(await run(redis, settleStock, keys, operation, outcome));
    }
    const counted = (await redis.get(countedKey(balance))) ?? '0';
    const stock = await balances.read(balance);
    const lowered = await run(redis, lowerStock, [...keys, countedKey(balance)], stock, counted);
    return arrived + changed + Number(lowered);
  },
};

/** NX: if several requests load the count, the first one wins. */
const load = async (balance: string, { balances, redis }: Pick<Tools, 'balances' | 'redis'>) =>
  redis.set(countKey(balance), await balances.read(balance), 'NX');

/** Writes the units to the row first and counts them then, because counted units can be bought. */
async function addUnits(change: Change, { balances, redis, work, warn }: Tools): Promise<Movement> {
  const { balance, request, delta } = change;
  const operation = randomUUID();
  await load(balance, { balances, redis }); // a count that is loaded later would include these units already
  await redis.hset(incomingKey(balance), operation, delta);
  const settle = (outcome: 'there' | 'never'): Promise<unknown> =>
    run(redis, countUnits, unitKeys(balance), operation, outcome).catch((error: unknown) => {
      warn(`the units of ${request} are not counted: reconcile the product`, error);
    });
  try {
    await work();
    const movement = await balances.writeIfEnough({ ...change, operation });
    await settle('there');
    return movement;
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) await settle('never'); // otherwise the reconciler decides
    throw error;
  }
}

const unitKeys = (balance: string) => [countKey(balance), incomingKey(balance), countedKey(balance)] as const;

/** Counts the units of operations that died after their write. Returns how many units. */
async function countArrivals(
  balance: string,
  { balances, redis }: Pick<Tools, 'balances' | 'redis'>,
): Promise<number> {
  const incoming = Object.keys(await redis.hgetall(incomingKey(balance)));
  const arrived = await balances.operationsWithMovement(balance, incoming);
  let counted = 0;
  for (const operation of arrived)
    counted += Number(await run(redis, countUnits, unitKeys(balance), operation, 'there'));
  return counted;
}

import { SoldOut, type Change, type Movement } from '#lab/balance';
import { OutcomeUnknown } from '#lab/step';
import { randomUUID } from 'node:crypto';
import type { Strategy, Tools } from '../contract';
import { countUnits, lowerStock, run, settleStock, takeStock } from '../shared/scripts';

const countKey = (balance: string): string => `stock:{${balance}}`;
const takenKey = (balance: string): string => `stock:{${balance}}:taken`;
/** Units on their way into the row, by operation; and how often such units were counted. */
const comingKey = (balance: string): string => `stock:{${balance}}:coming`;
const countedKey = (balance: string): string => `stock:{${balance}}:counted`;
const MISSING = -2;

export const redisDecr: Strategy = {
  name: 'redis-decr',
  mechanism:
    'No lock: a Lua script checks and decrements a count in Redis, and writes down who took how much; the database follows, and keeps its own WHERE stock >= n.',
  defect:
    'A replica that dies between the two has taken units that nobody gets: undersold until somebody reconciles (POST /lab/inventory/reconcile); as its write may still arrive, it stays listed until the product is set anew. Who comes before a write that then fails is told that all are sold, although its unit goes back. Without the WHERE, units that are given back, or a count that is loaded anew, while a write is on its way would oversell.',
  source: 'The flash-sale articles: "deduct the stock in Redis first".',
  next: 'conditional-update alone is exact: the count before it only spares the database.',
  options: ['workMs'],
  keys: (balance) => [countKey, takenKey, comingKey, countedKey].map((key) => key(balance)),
  lacks: ['survivesDeadHolder', 'survivesFailedWrite'],
  expected: { 'holder-killed': { must: ['undersold'], may: [] } },

  async apply(change, tools) {
    if (change.delta > 0) return bringUnits(change, tools);
    const { balances, redis, work, warn } = tools;
    const keys = [countKey(change.balance), takenKey(change.balance)] as const;
    const operation = randomUUID();
    const settle = (outcome: 'sold' | 'unsold'): Promise<unknown> =>
      run(redis, settleStock, keys, operation, outcome).catch((error: unknown) => {
        warn(`${change.request} stays unsettled`, error);
      });
    const take = async (): Promise<number> => {
      try {
        return Number(await run(redis, takeStock, keys, -change.delta, operation));
      } catch (error) {
        await settle('unsold'); // only the reply may have been lost
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
    const arrived = await countArrivals(balance, { balances, redis });
    const takers = Object.keys(await redis.hgetall(takenKey(balance)));
    const sold = await balances.operationsWithMovement(balance, takers);
    let changed = 0;
    for (const operation of takers) {
      const outcome = sold.has(operation) ? 'sold' : 'missing';
      changed += Number(await run(redis, settleStock, keys, operation, outcome));
    }
    const counted = (await redis.get(countedKey(balance))) ?? '0';
    const stock = await balances.read(balance);
    const lowered = await run(redis, lowerStock, [...keys, countedKey(balance)], stock, counted);
    return arrived + changed + Number(lowered);
  },
};

/** NX: of several who load the count, the first counts. */
const load = async (balance: string, { balances, redis }: Pick<Tools, 'balances' | 'redis'>) =>
  redis.set(countKey(balance), await balances.read(balance), 'NX');

/** Units come into the row first, and are counted then: what is counted can be bought. */
async function bringUnits(change: Change, { balances, redis, work, warn }: Tools): Promise<Movement> {
  const { balance, request, delta } = change;
  const operation = randomUUID();
  await load(balance, { balances, redis }); // a count that is loaded later would have these units already
  await redis.hset(comingKey(balance), operation, delta);
  const settle = (outcome: 'there' | 'never'): Promise<unknown> =>
    run(redis, countUnits, unitKeys(balance), operation, outcome).catch((error: unknown) => {
      warn(`${request} stays unsettled`, error);
    });
  try {
    await work();
    const movement = await balances.writeIfEnough({ ...change, operation });
    await settle('there');
    return movement;
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) await settle('never'); // else the reconciler finds out
    throw error;
  }
}

const unitKeys = (balance: string) => [countKey(balance), comingKey(balance), countedKey(balance)] as const;

/** Counts the units whose operations have died behind their write. Returns how many. */
async function countArrivals(
  balance: string,
  { balances, redis }: Pick<Tools, 'balances' | 'redis'>,
): Promise<number> {
  const coming = Object.keys(await redis.hgetall(comingKey(balance)));
  const arrived = await balances.operationsWithMovement(balance, coming);
  let counted = 0;
  for (const operation of arrived)
    counted += Number(await run(redis, countUnits, unitKeys(balance), operation, 'there'));
  return counted;
}

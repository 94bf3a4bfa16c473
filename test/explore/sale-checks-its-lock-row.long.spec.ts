import { BalanceTransaction } from '#lab/balance';
import { EXPLORE_OPTIONS, explore, parseBudget, type World } from '#lab/explore';
import { lockKey, LockLost, withLock } from '#lab/strategy';
import { dataSourceOf, planted, sellUnprotected } from '../harness/planted';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, []);
});
afterAll(() => world.close());

/** The transaction of the sale locks the lock's row and sells only if this request still owns it. */
const checked = planted('checks-its-row', (change, tools) => {
  const { rows } = tools.sqlLocks;
  const key = lockKey(change.balance, 'checks-its-row');
  const insert = (): Promise<boolean> => rows.insert(key, change.request, tools.options.leaseMs);
  const lock = {
    key,
    tryAcquire: async () => (await insert()) || ((await rows.sweep(key)) && (await insert())),
    release: () => rows.delete(key, change.request),
  };
  return withLock(lock, tools, () =>
    dataSourceOf(world, change).transaction(async (manager) => {
      const [row] = await manager.query<{ owner: string }[]>(
        'SELECT owner FROM balance_lock WHERE name = ? FOR UPDATE',
        [key],
      );
      if (row?.owner !== change.request) throw new LockLost(key);
      return sellUnprotected(change, new BalanceTransaction(manager));
    }),
  );
});

const SOLD_TWICE = ['oversold', 'lost-update', 'lost-acknowledged'] as const;

test.each(['lapse:1', 'kill:1'])(
  'a sale that checks its row FOR UPDATE in its own transaction is exact: %s',
  async (faults) => {
    const setup = { strategy: checked, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1', 'p2'] };
    const plan = { setup, budget: parseBudget(faults), faultPlaces: {}, reduce: true };
    const tally = await explore(world, plan);
    expect([tally.partial, tally.contended > 0]).toEqual([false, true]);
    for (const fault of Object.keys(parseBudget(faults))) expect(tally.fired.get(fault)).toBeGreaterThan(0);
    expect(SOLD_TWICE.filter((kind) => tally.kinds.has(kind))).toEqual([]);
  },
);

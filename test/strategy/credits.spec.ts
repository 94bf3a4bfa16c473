import type { Movement } from '#lab/balance';
import { BALANCE, type World } from '#lab/explore';
import { observe, SteppedRedis, systemClock, type Listener } from '#lab/step';
import {
  CATALOGUE,
  DEFAULT_OPTIONS,
  findStrategy,
  LocalProcess,
  RedisPubSub,
  type Capability,
  type Options,
  type Strategy,
  type Tools,
} from '#lab/strategy';
import { ANSWER_MS, LONGER_THAN_A_TEST } from '../harness/limits';
import { openWorld, servers } from '../harness/servers';

let world: World;
/** Two processes, each with its own connections, mutexes and wait queues. */
const processes: { readonly local: LocalProcess; readonly subscriber: SteppedRedis }[] = [];
beforeAll(async () => {
  world = await openWorld(__filename);
  for (const name of ['p1', 'p2']) {
    const subscriber = new SteppedRedis({ url: servers().redis, name, timeoutMs: ANSWER_MS });
    await subscriber.connect();
    processes.push({ local: new LocalProcess(name, new RedisPubSub(subscriber)), subscriber });
  }
});
afterAll(async () => {
  for (const { subscriber } of processes) subscriber.disconnect();
  await world.close();
});

const localOf = (process: 0 | 1): LocalProcess => {
  const found = processes[process];
  if (found === undefined) throw new Error('there are two processes');
  return found.local;
};

/** Timeouts long enough that no request gives up. */
const PATIENT = { ...DEFAULT_OPTIONS, ...LONGER_THAN_A_TEST, attempts: 100 };

function toolsOf(process: 0 | 1, options: Options = PATIENT): Tools {
  const connections = world.connectionsOfActors[process];
  if (connections === undefined) throw new Error('the world has no connections for this actor');
  return {
    ...connections,
    options,
    clock: systemClock,
    process: localOf(process),
    work: () => Promise.resolve(),
    warn: (warning, cause) => {
      throw new Error(warning, { cause });
    },
  };
}

let requests = 0;
const change = (strategy: Strategy, delta: number, process: 0 | 1) => ({
  balance: BALANCE,
  delta,
  request: `r${++requests}`,
  replica: localOf(process).name,
  strategy: strategy.name,
});
const enter = (
  strategy: Strategy,
  delta: number,
  process: 0 | 1 = 0,
  options: Options = PATIENT,
): Promise<Movement> => strategy.apply(change(strategy, delta, process), toolsOf(process, options));

/** Empties the balance and deletes the state of earlier tests. */
async function empty(strategy: Strategy): Promise<void> {
  for (const place of world.lockStoresOf(strategy)) world.markUsed(place);
  await world.begin(strategy, { stock: 0 });
}

/** The amount in the database, the number of movements, and their sum. */
async function books(): Promise<{ amount: number; movements: number; sum: number }> {
  const { amount, movements } = await world.look();
  return {
    amount,
    movements: movements.length,
    sum: movements.reduce((sum, { delta }) => sum + delta, 0),
  };
}

/** Waits for all, also when one fails: no request may go on in the next test. */
async function allOf(changes: readonly Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(changes)).filter(({ status }) => status === 'rejected');
  expect(failures).toEqual([]);
}

const keeps =
  (capability: Capability) =>
  ({ lacks }: Strategy) =>
    !lacks.includes(capability);
const exact = CATALOGUE.filter(keeps('exactAcrossProcesses'));
const serving = exact.filter(keeps('releasesAfterSale'));

test.each(serving)(
  '$name: ten concurrent restocks of one unit from two processes add exactly ten',
  async (strategy) => {
    await empty(strategy);
    const five = async (process: 0 | 1): Promise<void> => {
      // where all requests of one process are one owner they run one at a time: the promise is about processes
      if (strategy.lacks.includes('exactInOneProcess'))
        for (let i = 0; i < 5; i++) await enter(strategy, 1, process);
      else await allOf(Array.from({ length: 5 }, () => enter(strategy, 1, process)));
    };
    await allOf([five(0), five(1)]);
    expect(await books()).toEqual({ amount: 10, movements: 10, sum: 10 });
  },
);

test.each(['mysql-lock-table', 'mysql-lock-table-ttl'])(
  '%s: of fifty concurrent restocks none fails as the victim of a deadlock for the row of the lock',
  async (name) => {
    const strategy = findStrategy(name);
    await empty(strategy);
    const fifty = Array.from({ length: 50 }, (_, i) => enter(strategy, 1, i % 2 === 0 ? 0 : 1));
    await allOf(fifty);
    expect(await books()).toEqual({ amount: 50, movements: 50, sum: 50 });
  },
);

test.each(exact.filter((strategy) => !serving.includes(strategy)))(
  '$name, which never releases: of ten concurrent restocks the balance has as many as were acknowledged',
  async (strategy) => {
    await empty(strategy);
    const ten = Array.from({ length: 10 }, (_, i) =>
      enter(strategy, 1, i % 2 === 0 ? 0 : 1, { ...PATIENT, waitMs: 0 }),
    );
    const acknowledged = (await Promise.allSettled(ten)).filter(
      ({ status }) => status === 'fulfilled',
    ).length;
    expect(acknowledged).toBeGreaterThan(0);
    expect(await books()).toEqual({ amount: acknowledged, movements: acknowledged, sum: acknowledged });
  },
);

describe.each(CATALOGUE)('$name', (strategy) => {
  beforeEach(() => empty(strategy));

  test('returns the balance before and after the change', async () => {
    expect(await enter(strategy, 3)).toMatchObject({ delta: 3, after: 3 });
    expect(await books()).toEqual({ amount: 3, movements: 1, sum: 3 });
  });

  // no later request gets past a lock that is never released
  const serves = keeps('releasesAfterSale')(strategy);

  (serves && keeps('sellsToTheLast')(strategy) ? test : null)?.(
    'restocked units can be sold to the last one, and no more',
    async () => {
      await enter(strategy, 3);
      await enter(strategy, 2, 1);
      await expect(enter(strategy, -6)).rejects.toMatchObject({ code: 'STOCK.SOLD_OUT' });
      for (const process of [0, 1, 0, 1, 0] as const) await enter(strategy, -1, process);
      await expect(enter(strategy, -1)).rejects.toMatchObject({ code: 'STOCK.SOLD_OUT' });
      expect(await books()).toEqual({ amount: 0, movements: 7, sum: 0 });
    },
  );

  (serves ? test : null)?.(
    'a change with a deduplication key is applied once: a repeat changes nothing and blocks no request',
    async () => {
      const named = { ...change(strategy, 4, 0), dedupKey: `once-${strategy.name}` };
      await strategy.apply(named, toolsOf(0));
      await expect(strategy.apply(named, toolsOf(1))).rejects.toMatchObject({ code: 'CHANGE.CLOSED' });
      expect(await books()).toEqual({ amount: 4, movements: 1, sum: 4 });
      await enter(strategy, 1, 1);
      expect(await books()).toEqual({ amount: 5, movements: 2, sum: 5 });
    },
  );
});

describe('redis-decr: the count and the units of a restock', () => {
  const strategy = findStrategy('redis-decr');
  const count = async (): Promise<number> => Number(await world.redis.get(`stock:{${BALANCE}}`));
  const left = async (): Promise<[count: number, amount: number]> => [await count(), (await books()).amount];
  const reconcile = (): Promise<number> => strategy.reconcile?.(BALANCE, toolsOf(1)) ?? Promise.resolve(NaN);

  beforeEach(() => empty(strategy));

  /** Starts `task` and holds it before its first step `last`. Returns how it is resumed, which never happens in a crash. */
  const heldBefore = <T>(last: string, task: () => Promise<T>): Promise<() => Promise<T>> =>
    new Promise((reached, failed) => {
      let wasHeld = false;
      const listener: Listener = async (step, issue) => {
        if (!wasHeld && (step.script ?? step.verb) === last) {
          wasHeld = true;
          await new Promise<void>((resume) => {
            reached(() => {
              resume();
              return outcome;
            });
          });
        }
        return issue();
      };
      const outcome = observe({ actor: 'held', listener }, task);
      outcome.then(() => {
        failed(new Error(`there was no step ${last}`));
      }, failed);
    });

  const sellsExactly = async (units: number): Promise<void> => {
    for (let n = 0; n < units; n++) await enter(strategy, -1, 1);
    await expect(enter(strategy, -1)).rejects.toMatchObject({ code: 'STOCK.SOLD_OUT' });
    expect(await left()).toEqual([0, 0]);
  };

  test('it crashes after the write: the reconciler counts them once', async () => {
    await heldBefore('count-units', () => enter(strategy, 2));
    expect(await left()).toEqual([0, 2]);
    expect([await reconcile(), await reconcile()]).toEqual([2, 0]);
    await sellsExactly(2);
  });

  test('it crashes before the write: the reconciler does not count them', async () => {
    await heldBefore('START', () => enter(strategy, 2));
    expect([await reconcile(), ...(await left())]).toEqual([0, 0, 0]);
  });

  test('Redis restarts empty before the write, and a buyer loads the count: they can be sold', async () => {
    await enter(strategy, 1);
    const restock = await heldBefore('START', () => enter(strategy, 10));
    await world.redis.flushdb();
    await enter(strategy, -1, 1);
    await restock();
    expect(await left()).toEqual([10, 10]);
    await sellsExactly(10);
  });

  test('Redis restarts empty, and a buyer loads the count after the write: too high until the reconciliation', async () => {
    await enter(strategy, 1);
    const restock = await heldBefore('count-units', () => enter(strategy, 10));
    await world.redis.flushdb();
    await enter(strategy, -1, 1);
    await restock();
    expect(await left()).toEqual([20, 10]);
    expect([await reconcile(), await reconcile()]).toEqual([-10, 0]);
    await sellsExactly(10);
  });

  test('Redis restarts empty, and a buyer loads a value from before the write: too low until the reconciliation', async () => {
    await enter(strategy, 1);
    const restock = await heldBefore('START', () => enter(strategy, 10));
    await world.redis.flushdb();
    const buyer = await heldBefore('SET', () => enter(strategy, -1, 1)); // has read 1
    await restock();
    await buyer();
    expect(await left()).toEqual([0, 10]);
    expect([await reconcile(), await reconcile()]).toEqual([10, 0]);
    await sellsExactly(10);
  });

  test('a reconciler that has read the stock before the write does not take them from the count', async () => {
    await enter(strategy, 1);
    await world.redis.set(`stock:{${BALANCE}}`, 11); // too high
    const reconciler = await heldBefore('correct-count', reconcile);
    await enter(strategy, 10);
    expect([await reconciler(), ...(await left())]).toEqual([0, 21, 11]);
    expect([await reconcile(), ...(await left())]).toEqual([-10, 11, 11]);
  });

  test('nor when Redis has restarted empty in the meantime', async () => {
    await enter(strategy, 1);
    await world.redis.set(`stock:{${BALANCE}}`, 11); // too high
    const reconciler = await heldBefore('correct-count', reconcile);
    await enter(strategy, 10);
    await world.redis.flushdb();
    await enter(strategy, -1);
    expect([await reconciler(), ...(await left())]).toEqual([0, 10, 10]);
  });

  test('a reconciler that has read the stock before a sale does not return the sold units', async () => {
    await enter(strategy, 5);
    const reconciler = await heldBefore('correct-count', reconcile);
    await enter(strategy, -1);
    expect([await reconciler(), ...(await left())]).toEqual([0, 4, 4]);
  });
});

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
import { openWorld, servers } from '../harness/servers';

let world: World;
/** Two processes, each with connections, mutexes and waiting rooms of its own. */
const processes: { readonly local: LocalProcess; readonly subscriber: SteppedRedis }[] = [];
beforeAll(async () => {
  world = await openWorld(__filename);
  for (const name of ['p1', 'p2']) {
    const subscriber = new SteppedRedis({ url: servers().redis, name });
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

/** Patient enough that nobody has to be turned away. */
const PATIENT = { ...DEFAULT_OPTIONS, waitMs: 30_000, leaseMs: 30_000, attempts: 100 };

function toolsOf(process: 0 | 1, options: Options = PATIENT): Tools {
  const seat = world.connectionsOfActors[process];
  if (seat === undefined) throw new Error('a world has three connectionsOfActors');
  return {
    ...seat,
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

/** Nothing is in the balance, and nothing is left of whoever came before. */
async function empty(strategy: Strategy): Promise<void> {
  for (const place of world.lockStoresOf(strategy)) world.markUsed(place);
  await world.begin({ stock: 0, strategy });
}

/** What the database says the balance is, how many movements it has, and what they come to. */
async function books(): Promise<{ amount: number; movements: number; sum: number }> {
  const { amount, movements } = await world.look();
  return {
    amount,
    movements: movements.length,
    sum: movements.reduce((sum, { delta }) => sum + delta, 0),
  };
}

const keeps =
  (capability: Capability) =>
  ({ lacks }: Strategy) =>
    !lacks.includes(capability);
const exact = CATALOGUE.filter(keeps('exactAcrossProcesses'));
const serving = exact.filter(keeps('releasesAfterSale'));

test.each(serving)(
  '$name: ten at once bring one each to an empty balance, from two processes: it is exactly ten',
  async (strategy) => {
    await empty(strategy);
    const five = async (process: 0 | 1): Promise<void> => {
      // where the requests of one process are all one owner, one at a time: its promise is about processes
      if (strategy.lacks.includes('exactInOneProcess'))
        for (let i = 0; i < 5; i++) await enter(strategy, 1, process);
      else await Promise.all(Array.from({ length: 5 }, () => enter(strategy, 1, process)));
    };
    await Promise.all([five(0), five(1)]);
    expect(await books()).toEqual({ amount: 10, movements: 10, sum: 10 });
  },
);

test.each(exact.filter((strategy) => !serving.includes(strategy)))(
  '$name, which never lets go: of ten at once, as many are in the balance as were told so',
  async (strategy) => {
    await empty(strategy);
    const ten = Array.from({ length: 10 }, (_, i) =>
      enter(strategy, 1, i % 2 === 0 ? 0 : 1, { ...PATIENT, waitMs: 0 }),
    );
    const told = (await Promise.allSettled(ten)).filter(({ status }) => status === 'fulfilled').length;
    expect(told).toBeGreaterThan(0);
    expect(await books()).toEqual({ amount: told, movements: told, sum: told });
  },
);

describe.each(CATALOGUE)('$name', (strategy) => {
  beforeEach(() => empty(strategy));

  test('says from what to what it has changed the balance', async () => {
    expect(await enter(strategy, 3)).toMatchObject({ delta: 3, after: 3 });
    expect(await books()).toEqual({ amount: 3, movements: 1, sum: 3 });
  });

  // nobody comes behind a lock that stays
  const serves = keeps('releasesAfterSale')(strategy);

  (serves && keeps('sellsToTheLast')(strategy) ? test : null)?.(
    'what has come can be taken, to the last one, and no more',
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
    'a change with a name is made once: the second time changes nothing and holds nobody up',
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

describe('redis-decr: units whose bringer dies', () => {
  const strategy = findStrategy('redis-decr');
  const count = async (): Promise<number> => Number(await world.redis.get(`stock:{${BALANCE}}`));
  const reconcile = (): Promise<number> | undefined => strategy.reconcile?.(BALANCE, toolsOf(1));

  beforeEach(() => empty(strategy));

  /** Brings two, up to this step: it never comes back, as for a process that is dead. */
  const dies = (before: string): Promise<void> =>
    new Promise((reached) => {
      const listener: Listener = (step, issue) => {
        if ((step.script ?? step.verb) !== before) return issue();
        reached();
        return new Promise(() => undefined);
      };
      void observe({ actor: 'bringer', listener }, () => enter(strategy, 2));
    });

  test('behind the write: they are counted by who reconciles, once', async () => {
    await dies('count-units');
    expect([await count(), (await books()).amount]).toEqual([0, 2]);
    expect([await reconcile(), await reconcile()]).toEqual([2, 0]);
    for (let i = 0; i < 2; i++) await enter(strategy, -1, 1);
    expect([await count(), (await books()).amount]).toEqual([0, 0]);
  });

  test('before the write: nobody counts them', async () => {
    await dies('START');
    expect([await reconcile(), await count(), (await books()).amount]).toEqual([0, 0, 0]);
  });
});

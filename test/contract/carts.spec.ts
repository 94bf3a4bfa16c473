import { Schedule, before, type World } from '#lab/explore';
import {
  CAPABILITIES,
  CATALOGUE,
  NoCarts,
  cartStrategy,
  findStrategy,
  sellsCarts,
  type Capability,
} from '#lab/strategy';
import { openWorld } from '../harness/servers';
import { lockStepsOf, needsCarts, trialsOf, type LockSteps } from './promises';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const CART = ['item', 'other'];
/** Two carts with the same two products in opposite order. */
const CARTS = [CART, CART.toReversed(), CART];

test.each(CATALOGUE.filter((strategy) => !sellsCarts(strategy)))(
  '$name rejects carts and names the strategies that sell them',
  (strategy) => {
    expect(() => cartStrategy(strategy)).toThrow(NoCarts);
    expect(() => cartStrategy(strategy)).toThrow('choose one of: multi-unsorted, multi, ');
  },
);

test.each(CATALOGUE.filter((strategy) => !sellsCarts(strategy)))(
  '$name sells no carts and promises no capability that needs them',
  ({ lacks }) => {
    expect(lacks.filter((capability) => trialsOf(capability).some(needsCarts))).toEqual([]);
  },
);

describe.each(CATALOGUE.filter(sellsCarts))('a cart under $name', (strategy) => {
  const begin = (setup: Parameters<typeof Schedule.begin>[2] = {}): Promise<Schedule> => {
    const { processes = ['p1', 'p2'] } = setup;
    return Schedule.begin(world, strategy, { carts: CARTS.slice(0, processes.length), ...setup });
  };
  let lock: LockSteps;
  beforeAll(async () => {
    lock = await lockStepsOf(await begin({ processes: ['p1'] }));
  });

  const promised = (Object.keys(CAPABILITIES) as Capability[]).filter(
    (capability) => !trialsOf(capability).some(needsCarts) && !strategy.lacks.includes(capability),
  );
  test.each(promised)('keeps the promise %s', async (capability) => {
    const trials = trialsOf(capability).filter(({ carts }) => carts === undefined);
    for (const { processes, options = {}, stock = 1, scenarios, broken, least = 1 } of trials)
      for (const [name, scenario] of Object.entries(scenarios)) {
        const carts = strategy.lacks.includes('servesCrossedCarts') ? processes.map(() => CART) : CARTS;
        const schedule = await begin({ processes, options, stock, carts: carts.slice(0, processes.length) });
        await scenario(schedule, lock);
        const ending = await schedule.end();
        expect([name, broken(ending)]).toEqual([name, []]);
        expect(ending.history.final.movements.length).toBeGreaterThanOrEqual(least * CART.length);
      }
  });

  test('sells whole carts one after another until nothing is left', async () => {
    const schedule = await begin({ stock: 2, processes: ['p1', 'p2', 'p1'] });
    for (const buyer of [schedule.A, schedule.B, schedule.C]) await buyer.finish();
    const { history, verdict } = await schedule.end();
    expect([schedule.A, schedule.B, schedule.C].map(({ outcome }) => outcome)).toEqual([
      'APPLIED',
      'APPLIED',
      'STOCK.SOLD_OUT',
    ]);
    expect(history.final).toMatchObject({ amounts: { item: 0, other: 0 }, locks: [] });
    expect(history.final.movements).toHaveLength(4);
    expect(verdict.violations).toEqual([]);
  });

  test('sells nothing of a cart with one sold-out product and leaves the rest to others', async () => {
    const schedule = await begin({ stock: 1, carts: [['other'], CART] });
    await schedule.A.finish();
    await schedule.B.finish();
    const { history, verdict } = await schedule.end();
    expect([schedule.A.outcome, schedule.B.outcome]).toEqual(['APPLIED', 'STOCK.SOLD_OUT']);
    expect(history.events.at(-1)).toMatchObject({
      type: 'end',
      text: expect.stringMatching(/^other: 1 wanted/) as string,
    });
    expect(history.final).toMatchObject({ amounts: { item: 1, other: 0 }, locks: [] });
    expect(verdict.violations).toEqual([]);
  });

  test('refuses a cart with an unknown product and leaves no lock', async () => {
    const schedule = await begin({ processes: ['p1'] });
    await world.removeBalance();
    const { history } = await schedule.end().finally(() => world.addBalance());
    expect(schedule.A.outcome).toBe('STOCK.UNKNOWN_SKU');
    expect(history.final).toMatchObject({ movements: [], locks: [] });
  });

  test('applies a cart completely or not at all, wherever its buyer crashes', async () => {
    const lone = await begin({ processes: ['p1'] });
    const { history } = await lone.end();
    const steps = history.events.filter(({ type }) => type === 'step').length;
    for (let n = 0; n < steps; n++) {
      const schedule = await begin({ processes: ['p1'] });
      for (let i = 0; i < n; i++) await schedule.A.step();
      await schedule.A.kill();
      const { final } = (await schedule.end()).history;
      const left = 1 - final.movements.length / CART.length;
      expect([n, final.amounts]).toEqual([n, { item: left, other: left }]);
    }
  });

  test('sells nothing of a cart whose second write fails', async () => {
    const schedule = await begin({ processes: ['p1'] });
    await schedule.A.runUntil(before('UPDATE balance'));
    await schedule.A.step();
    await schedule.A.runUntil(before('UPDATE balance'));
    await schedule.A.stepWith('error');
    const { history } = await schedule.end();
    expect(schedule.A.outcome).not.toBe('APPLIED');
    expect(history.final).toMatchObject({ amounts: { item: 1, other: 1 }, movements: [], locks: [] });
  });
});

test('a schedule with carts requires a strategy that sells them', async () => {
  await expect(Schedule.begin(world, findStrategy('none'), { carts: CARTS })).rejects.toThrow(NoCarts);
});

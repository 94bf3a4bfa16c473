import { Schedule, before, type World } from '#lab/explore';
import { CAPABILITIES, sellsCarts, type Capability, type Strategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';
import { lockStepsOf, needsCarts, trialsOf, type LockSteps } from './promises';

/** Defines the tests that every strategy passes: each of its promises is kept, and each promise that it lacks is broken. */
export function testContract(file: string, strategies: readonly Strategy[]): void {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(file);
  });
  afterAll(() => world.close());

  const begin = (strategy: Strategy, setup: Parameters<typeof Schedule.begin>[2] = {}): Promise<Schedule> =>
    Schedule.begin(world, strategy, setup);

  describe.each(strategies)('$name', (strategy) => {
    let lock: LockSteps;
    beforeAll(async () => {
      lock = await lockStepsOf(await begin(strategy, { processes: ['p1'] }));
    });

    const capabilities = (Object.keys(CAPABILITIES) as Capability[]).filter(
      (capability) => !trialsOf(capability).some(needsCarts) || sellsCarts(strategy),
    );

    describe.each(capabilities)('%s', (capability) => {
      const isPromised = !strategy.lacks.includes(capability);
      test(
        isPromised
          ? CAPABILITIES[capability]
          : `breaks in at least one scenario: ${CAPABILITIES[capability]}`,
        async () => {
          const seen: unknown[] = [];
          for (const trial of trialsOf(capability))
            for (const [name, scenario] of Object.entries(trial.scenarios)) {
              const { processes, options = {}, stock = 1, carts, broken, least = 1 } = trial;
              const schedule = await begin(strategy, { processes, options, stock, ...(carts && { carts }) });
              await scenario(schedule, lock);
              const ending = await schedule.end();
              seen.push(...broken(ending).map((how) => ({ name, how })));
              if (isPromised) expect(ending.history.final.movements.length).toBeGreaterThanOrEqual(least);
            }
          if (isPromised) expect(seen).toEqual([]);
          else expect(seen).not.toEqual([]);
        },
      );
    });

    // a strategy that never releases is covered by its trial: the buyers below would only wait
    const releases = !strategy.lacks.includes('releasesAfterSale');

    const sellsAll = releases && !strategy.lacks.includes('sellsToTheLast');

    (sellsAll ? test : null)?.(
      'sells one unit after another until nothing is left, then answers sold out',
      async () => {
        const schedule = await begin(strategy, { stock: 2, processes: ['p1', 'p2', 'p1'] });
        for (const buyer of [schedule.A, schedule.B, schedule.C]) await buyer.finish();
        const { history } = await schedule.end();
        expect([schedule.A, schedule.B, schedule.C].map(({ outcome }) => outcome)).toEqual([
          'APPLIED',
          'APPLIED',
          'STOCK.SOLD_OUT',
        ]);
        expect(history.final).toMatchObject({ amount: 0, locks: [] });
        const { movements } = history.final;
        const isSplit = movements.every(({ segment }) => segment !== null);
        expect(movements.toSorted((a, b) => (a.segment ?? 0) - (b.segment ?? 0))).toMatchObject([
          isSplit ? { segment: 0, before: 1, after: 0 } : { segment: null, before: 2, after: 1 },
          isSplit ? { segment: 1, before: 1, after: 0 } : { segment: null, before: 1, after: 0 },
        ]);
      },
    );

    (releases ? test : null)?.('a sold-out answer leaves the lock free', async () => {
      const schedule = await begin(strategy, { stock: 0 });
      await schedule.A.finish();
      await schedule.B.finish();
      const { history } = await schedule.end();
      expect(schedule.B.outcome).toBe('STOCK.SOLD_OUT');
      expect(history.final).toMatchObject({ amount: 0, movements: [], locks: [] });
    });

    (releases ? test : null)?.('an unknown balance is refused and leaves no lock', async () => {
      const schedule = await begin(strategy, { processes: ['p1'] });
      await world.removeBalance();
      const { history } = await schedule.end().finally(() => world.addBalance());
      expect(schedule.A.outcome).toBe('STOCK.UNKNOWN_SKU');
      expect(history.final).toMatchObject({ movements: [], locks: [] });
    });

    test('the write and its movement are committed together or not at all', async () => {
      for (const point of ['INSERT INTO movement', 'COMMIT']) {
        const schedule = await begin(strategy);
        await schedule.A.runUntil(before(point));
        await schedule.A.kill();
        const { history } = await schedule.end();
        expect(history.final.amount).toBe(1 - history.final.movements.length);
      }
    });
  });
}

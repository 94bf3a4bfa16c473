import {
  CROSSED_CARTS,
  EXPLORE_OPTIONS,
  explore,
  parseBudget,
  readToken,
  scheduleTokenOf,
  replay,
  shrink,
  writeToken,
  type Plan,
  type Tally,
  type World,
} from '#lab/explore';
import { cartStrategy, findStrategy, type CartStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const planOf = (strategy: CartStrategy, faults = '', stock = 1): Plan => ({
  setup: { strategy, options: EXPLORE_OPTIONS, stock, processes: ['p1', 'p2'], carts: CROSSED_CARTS },
  budget: parseBudget(faults),
  faultPlaces: {},
  reduce: true,
});
const search = (name: string, faults?: string, stock?: number): Promise<Tally> =>
  explore(world, planOf(cartStrategy(findStrategy(name)), faults, stock));

test('locks taken in cart order fail in the exhaustive search without any fault, and the token of the witness replays the failure', async () => {
  const plan = planOf(cartStrategy(findStrategy('multi-unsorted')));
  const tally = await explore(world, plan);
  expect([...tally.kinds.keys()]).toEqual(
    expect.arrayContaining(['dead-lock', 'oversold', 'lost-update', 'overlap']),
  );
  expect(tally.partial).toBe(false);
  const witness = tally.witnesses.get('oversold');
  const played = await shrink(world, plan, witness?.choices ?? [], 'oversold');
  const token = writeToken(scheduleTokenOf(plan.setup, played));
  expect(token).toMatch(/^v1\.multi-unsorted\.\.1\.12-io-oi\.[\w.-]+$/);
  const again = await replay(world, readToken(token));
  expect(again.verdict.violations.map(({ kind }) => kind)).toContain('oversold');
});

test.each(['multi', 'for-update', 'conditional-update'])(
  '%s: no interleaving deadlocks, tears a cart or oversells; with stock for both, both buy',
  async (name) => {
    for (const stock of [1, 2]) {
      const tally = await search(name, '', stock);
      expect([...tally.kinds.keys()]).toEqual([]);
      expect(tally.partial).toBe(false);
      expect(tally.contended).toBeGreaterThan(0);
    }
    expect((await search(name, 'kill:1')).kinds).toEqual(new Map());
  },
);

test('multi: sorted order does not help when the leases end before the work does', async () => {
  const tally = await search('multi', 'lapse:1');
  expect([...tally.kinds.keys()]).toEqual(expect.arrayContaining(['oversold', 'overlap']));
  expect([...tally.kinds.keys()]).not.toContain('dead-lock');
});

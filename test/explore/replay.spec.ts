import {
  EXPLORE_OPTIONS,
  NoLongerReproduces,
  TokenSyntaxError,
  differenceOf,
  parseBudget,
  play,
  playRandom,
  readToken,
  scheduleTokenOf,
  replay,
  writeToken,
  type Plan,
  type World,
  readSchedule,
} from '#lab/explore';
import { seeded } from '#lab/random';
import { CATALOGUE, NoCarts, UnknownStrategy, findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const BUDGETS = [
  '',
  'kill:1',
  'lapse:1',
  'pause:1',
  'cut:1,lapse:1',
  'in-flight:1,lapse:1',
  'lose-reply:1',
  'error:1',
  'flush:1',
  'tick:2',
  'overrun:1',
];
const TOKENS = 1000;

function planOf(strategy: string, faults: string, actors = 2): Plan {
  const processes = ['p1', 'p2', 'p3'].slice(0, actors);
  const setup = { strategy: findStrategy(strategy), options: EXPLORE_OPTIONS, stock: 1, processes };
  return { setup, budget: parseBudget(faults), faultPlaces: {}, reduce: false };
}

test(`${TOKENS} random schedules replay identically from their tokens`, async () => {
  const random = seeded(20261121);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  for (let i = 0; i < TOKENS; i++) {
    const plan = planOf(pick(CATALOGUE).name, pick(BUDGETS), pick([2, 2, 2, 3]));
    const first = await playRandom(world, plan, random);
    const token = writeToken(scheduleTokenOf(plan.setup, first));
    expect(token).toMatch(/^[\w.-]+$/);
    const second = await replay(world, readToken(token));
    const difference = differenceOf(first.history, second.history);
    expect({ token, difference }).toEqual({ token, difference: undefined });
  }
});

test('choices that a token omits are deterministic', async () => {
  const { setup } = planOf('none', '');
  const first = await play(world, setup, readSchedule('ab') ?? [], { strict: true });
  const second = await play(world, setup, readSchedule('ab') ?? [], { strict: true });
  expect(second.choices).toEqual(first.choices);
});

test('a token whose steps have changed reports the first step that no longer reproduces', async () => {
  const plan = planOf('expiring', '');
  const scheduleToken = scheduleTokenOf(
    plan.setup,
    await play(world, plan.setup, readSchedule('a2') ?? [], { strict: true }),
  );
  const changed = { ...scheduleToken, setup: { ...plan.setup, strategy: findStrategy('token-checked') } };
  const again = replay(world, changed); // GET before DEL: the eighth step differs
  await expect(again).rejects.toBeInstanceOf(NoLongerReproduces);
  await expect(again).rejects.toMatchObject({ step: 7 });
});

test('a token whose violation is gone no longer reproduces', async () => {
  const { setup } = planOf('none', '');
  const harmless = scheduleTokenOf(
    setup,
    await play(world, setup, readSchedule('a') ?? [], { strict: true }),
  );
  await expect(replay(world, { ...harmless, kinds: ['oversold'] })).rejects.toThrow(
    'no longer shows oversold',
  );
});

test.each([
  ['', TokenSyntaxError],
  ['v0.none..1.12.a.V..x', TokenSyntaxError],
  ['v1.none..1.12.a5z.V..x', TokenSyntaxError],
  ['v1.none..1.12.a999.V..x', TokenSyntaxError],
  ['v1.none.l1.1.12.a.V..x', TokenSyntaxError],
  ['v1.none..1.45.a.V..x', TokenSyntaxError],
  ['v1.none..1.12.a.V.?.x', TokenSyntaxError],
  ['v1.multi..1.12-io.a.V..x', TokenSyntaxError],
  ['v1.multi..1.12-io-ii.a.V..x', TokenSyntaxError],
  ['v1.multi..1.12-io-x.a.V..x', TokenSyntaxError],
  ['v1.multi..1.12-io-.a.V..x', TokenSyntaxError],
  ['v1.none..1.12-io-oi.a.V..x', NoCarts],
  ['v1.nope..1.12.a.V..x', UnknownStrategy],
])('the token "%s" is rejected', (token, error) => {
  expect(() => readToken(token)).toThrow(error);
});

import {
  NoLongerReproduces,
  TokenSyntaxError,
  play,
  readToken,
  scheduleTokenOf,
  replay,
  type World,
  readSchedule,
} from '#lab/explore';
import { NoCarts, UnknownStrategy, findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';
import { expectIdenticalReplays, planOf } from './random-replays';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test('random schedules replay identically from their tokens', () =>
  expectIdenticalReplays(world, 60, 20261121));

test('choices that a token omits are deterministic', async () => {
  const { setup } = planOf('none', '');
  const first = await play(world, setup, readSchedule('ab') ?? [], { strict: true });
  const second = await play(world, setup, readSchedule('ab') ?? [], { strict: true });
  expect(second.choices).toEqual(first.choices);
});

test.each(['X1', 'K1'])(
  'fault %s ends the sessions of a process one by one: a statement that waits for the first is answered',
  async (fault) => {
    const { setup } = planOf('none', '');
    const choices = readSchedule(`a3b3${fault}`) ?? [];
    for (let i = 0; i < 10; i++) {
      const { history } = await play(world, { ...setup, processes: ['p1', 'p1'] }, choices, {
        strict: true,
      });
      const waited = history.events.find(
        (event) => event.type === 'step' && event.actor === 'B' && event.verb === 'UPDATE',
      );
      expect(waited).toMatchObject({ reply: { affectedRows: 1 }, answeredAt: expect.any(Number) as number });
    }
  },
);

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
  ['v0.none..1.12.a.V..000000', TokenSyntaxError],
  ['v1.none..1.12.a5z.V..000000', TokenSyntaxError],
  ['v1.none..1.12.a999999.V..000000', TokenSyntaxError],
  ['v1.none.l1.1.12.a.V..000000', TokenSyntaxError],
  ['v1.none..1.45.a.V..000000', TokenSyntaxError],
  ['v1.none..1.12.a.V.?.000000', TokenSyntaxError],
  ['v1.multi..1.12-io.a.V..000000', TokenSyntaxError],
  ['v1.multi..1.12-io-ii.a.V..000000', TokenSyntaxError],
  ['v1.multi..1.12-io-x.a.V..000000', TokenSyntaxError],
  ['v1.multi..1.12-io-.a.V..000000', TokenSyntaxError],
  ['v1.none..1.12-io-oi.a.V..000000', NoCarts],
  ['v1.none..1.12.a.V..00000', TokenSyntaxError],
  ['v1.nope..1.12.a.V..000000', UnknownStrategy],
])('the token "%s" is rejected', (token, error) => {
  expect(() => readToken(token)).toThrow(error);
});

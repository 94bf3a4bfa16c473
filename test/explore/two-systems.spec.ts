import {
  cellOf,
  explore,
  mixed,
  NotMixable,
  play,
  planOf,
  readToken,
  replay,
  scheduleTokenOf,
  writeToken,
  type World,
} from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);
let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const two = (first: string, second: string) => mixed(findStrategy(first), findStrategy(second));

test.each([
  ['token-lua', 'none'],
  ['token-lua', 'setnx'],
  ['token-lua', 'conditional-update'],
  ['fenced', 'none'],
  ['optimistic', 'for-update'], // which does not increment the version
])('%s beside %s sells the last unit twice', async (first, second) => {
  const { kinds, partial } = await explore(world, planOf(two(first, second), cellOf('two processes')));
  expect(partial).toBe(false);
  expect([...kinds.keys()]).toEqual(expect.arrayContaining(['oversold', 'lost-update']));
});

test.each([
  ['for-update', 'conditional-update'],
  ['token-lua', 'token-lua'],
])('%s beside %s is exact in every schedule', async (first, second) => {
  const tally = await explore(world, planOf(two(first, second), cellOf('two processes')));
  expect({ partial: tally.partial, violating: tally.violating }).toEqual({ partial: false, violating: 0 });
});

test('a token of two systems runs the same schedule again', async () => {
  const plan = planOf(two('token-lua', 'none'), cellOf('two processes'));
  const witness = (await explore(world, plan)).witnesses.get('oversold');
  const played = await play(world, plan.setup, witness?.choices ?? [], { strict: true });
  const token = writeToken(scheduleTokenOf(plan.setup, played));
  expect(token).toMatch(/^v1\.token-lua__none\./);
  const again = await replay(world, readToken(token));
  expect(again.sameCode).toBe(true);
  expect(again.choices).toEqual(played.choices);
  expect(again.history.strategy).toBe('token-lua beside none');
});

test('a lock in several servers cannot be mixed: its parts would be taken for locks', () => {
  expect(() => two('redlock', 'none')).toThrow(NotMixable);
});

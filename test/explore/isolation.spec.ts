import { EXPLORE_OPTIONS, Schedule, after, readToken, writeToken, type World } from '#lab/explore';
import { CATALOGUE, findStrategy, underOptions } from '#lab/strategy';
import { openWorld } from '../harness/servers';
import { kindsOf } from '../harness/kinds';
import { exploreUnder } from './isolation';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

test.each(['for-update-plain-read', 'snapshot-before-lock'])(
  '%s oversells under REPEATABLE READ and in no schedule under READ COMMITTED',
  async (name) => {
    const repeatable = await exploreUnder(world, name, 'repeatable-read');
    const committed = await exploreUnder(world, name, 'read-committed');
    expect([kindsOf(repeatable), repeatable.partial]).toEqual([['lost-update', 'oversold'], false]);
    expect([kindsOf(committed), committed.partial, committed.contended > 0]).toEqual([[], false, true]);
  },
);

test('a lock that is released before COMMIT oversells under READ COMMITTED as well', async () => {
  const { kinds } = await exploreUnder(world, 'unlock-before-commit', 'read-committed');
  expect(kinds.has('oversold')).toBe(true);
});

test('a process that dies between SET TRANSACTION and START TRANSACTION leaves nothing for the next transaction', async () => {
  const strategy = findStrategy('for-update-plain-read');
  const killed = await Schedule.begin(world, strategy, {
    options: { ...EXPLORE_OPTIONS, isolation: 'read-committed' },
  });
  await killed.A.runUntil(after('SET'));
  await killed.A.kill();
  await killed.end();
  const next = await Schedule.begin(world, strategy);
  await next.A.runUntil(after('SELECT'));
  await next.B.finish();
  await next.A.finish();
  const { verdict } = await next.end();
  expect(verdict.violations.map(({ kind }) => kind)).toContain('oversold');
});

test('the catalogue says what a strategy lacks and shows under READ COMMITTED', () => {
  const strategy = findStrategy('snapshot-before-lock');
  expect(strategy.lacks).toContain('exactAcrossProcesses');
  expect(underOptions(strategy, { isolation: 'repeatable-read' })).toBe(strategy);
  expect(underOptions(strategy, { isolation: 'read-committed' }).lacks).toEqual([
    'survivesLapse',
    'survivesSlowWork',
    'noticesLoss',
  ]);
});

test('a token carries the isolation level', () => {
  const [strategy] = CATALOGUE;
  if (strategy === undefined) throw new Error('the catalogue is empty');
  const token = writeToken({
    setup: {
      strategy,
      options: { ...EXPLORE_OPTIONS, isolation: 'read-committed' },
      stock: 1,
      processes: ['p1', 'p2'],
    },
    choices: [],
    checks: '',
    kinds: [],
    hash: 'abcdef',
  });
  expect(token.split('.')[2]).toBe('i1');
  expect(readToken(token).setup.options.isolation).toBe('read-committed');
  expect(() => readToken(token.replace('.i1.', '.i2.'))).toThrow('options');
});

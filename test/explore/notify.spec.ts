import {
  EXPLORE_OPTIONS,
  Schedule,
  after,
  before,
  readToken,
  scheduleTokenOf,
  play,
  writeToken,
  type Tally,
  type World,
  readSchedule,
} from '#lab/explore';
import { CATALOGUE, findStrategy, lockKey, LockNotObtained, type Strategy, type Tools } from '#lab/strategy';
import { sellUnprotected } from '../harness/planted';
import { openWorld } from '../harness/servers';
import { NOTIFIED, SAMPLED, options, searchNotified, testNoMissedRelease } from './notify';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const find = (strategy: Strategy, processes: readonly string[]): Promise<Tally> =>
  searchNotified(world, strategy, processes);

test('there are strategies that notify', () => {
  expect(NOTIFIED.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['token-lua', 'watchdog', 'lua', 'reentrant']),
  );
});

testNoMissedRelease(() => world, SAMPLED);

test('strategies without notification poll, whatever option is given', async () => {
  for (const strategy of CATALOGUE.filter(
    ({ options: used, needs }) => !used.includes('wait') && needs === undefined,
  )) {
    const schedule = await Schedule.begin(world, strategy, { options });
    await schedule.A.runTowards(before('UPDATE balance SET amount'));
    await schedule.B.finish();
    await schedule.A.finish();
    const { history } = await schedule.end();
    const subscribed = history.events.filter(
      (event) => event.type === 'step' && event.text.startsWith('SUBSCRIBE freed:'),
    );
    expect([strategy.name, subscribed.length]).toEqual([strategy.name, 0]);
  }
});

/** Same as token-lua, but it tries first and subscribes afterwards: it misses a release in between. */
const subscribesTooLate: Strategy = {
  ...findStrategy('token-lua'),
  name: 'token-lua', // shares the keys and the catalogue entry; only the bug differs
  async apply(change, { redis, balances, process, clock, options: { leaseMs, waitMs } }: Tools) {
    const key = lockKey(change.balance, 'planted');
    const token = `${change.request}-token`;
    const tryAcquire = async (): Promise<boolean> =>
      (await redis.set(key, token, 'PX', leaseMs, 'NX')) === 'OK';
    const waiter = process.waitQueues.join(key);
    if (!(await tryAcquire())) {
      await waiter.subscribe();
      await clock.waitFor(waiter.event, waitMs, key);
      if (!(await tryAcquire())) throw new LockNotObtained(key, 2, waitMs);
    }
    waiter.leave();
    const movement = await sellUnprotected(change, balances);
    await redis.del(key);
    await redis.publish(`freed:${key}`, token);
    return movement;
  },
};

test('a waiter that tries first and subscribes later misses a release: the search finds it', async () => {
  const tally = await find(subscribesTooLate, ['p1', 'p2']);
  expect([...tally.kinds.keys()]).toEqual(['starved']);
});

test('the search finds a release that notifies no waiter', async () => {
  const silent = { ...findStrategy('token-lua') };
  const apply: Strategy['apply'] = (change, tools) => {
    const withoutBroadcast = Object.create(tools.redis) as Tools['redis'];
    withoutBroadcast.evalsha = ((sha: string, keys: number, key: string, token: string) =>
      tools.redis.evalsha(sha, keys, key, token, 'hand-over')) as Tools['redis']['evalsha'];
    return findStrategy('token-lua').apply(change, { ...tools, redis: withoutBroadcast });
  };
  const tally = await find({ ...silent, apply }, ['p1', 'p2']);
  expect([...tally.kinds.keys()]).toEqual(['starved']);
});

test('the next waiter of a process retries although the release before it is delayed', async () => {
  const schedule = await Schedule.begin(world, findStrategy('token-lua'), {
    options,
    stock: 2,
    processes: ['p1', 'p1'],
  });
  const { A, B } = schedule;
  await A.runUntil(after('SET'));
  await B.finish();
  expect(B.next?.verb).toBe('WAIT');
  await A.runUntil(before('release-if-owner'));
  await B.finish(); // woken up too early
  expect(B.next?.verb).toBe('WAIT');
  await A.finish();
  await B.finish();
  await schedule.end();
  expect([A.outcome, B.outcome]).toEqual(['APPLIED', 'APPLIED']);
});

test('a waiter whose attempt fails after its wake-up passes the wake-up on to the next one', async () => {
  const schedule = await Schedule.begin(world, findStrategy('token-lua'), {
    options,
    stock: 3,
    processes: ['p1', 'p2', 'p2'],
  });
  const { A, B, C } = schedule;
  await A.runUntil(after('SET'));
  await B.finish();
  await C.finish();
  await A.finish();
  await B.step(); // its wait is over
  expect(B.next?.verb).toBe('SET');
  await B.stepWith('error');
  await C.finish();
  await schedule.end();
  expect([A.outcome, B.outcome, C.outcome]).toEqual(['APPLIED', 'DEPENDENCY.DOWN', 'APPLIED']);
});

test('when Redis restarts, every waiter checks the lock again', async () => {
  const schedule = await Schedule.begin(world, findStrategy('token-lua'), { options, stock: 2 });
  const { A, B } = schedule;
  await A.runUntil(after('SET'));
  await B.finish();
  await A.kill();
  await schedule.flush();
  await B.finish();
  await schedule.end();
  expect(B.outcome).toBe('APPLIED');
});

test('a waiter for the release of a dead holder retries after one lease', async () => {
  const short = { ...options, leaseMs: 10_000 };
  const schedule = await Schedule.begin(world, findStrategy('token-lua'), { options: short });
  const { A, B } = schedule;
  await A.runUntil(after('SET'));
  await B.finish();
  await A.kill();
  const { history } = await schedule.end();
  expect(B.outcome).toBe('APPLIED');
  expect(history.events.some((event) => event.type === 'time')).toBe(true);
});

test('a token records how its requests waited, and tokens from before that option are still valid', async () => {
  const setup = {
    strategy: findStrategy('token-lua'),
    options: { ...EXPLORE_OPTIONS, wait: 'notify' as const },
    stock: 1,
    processes: ['p1', 'p2'],
  };
  const played = await play(world, setup, readSchedule('ab2') ?? [], { strict: true });
  const token = writeToken(scheduleTokenOf(setup, played));
  expect(readToken(token).setup.options.wait).toBe('notify');
  expect(readToken(token.replace('.n1.', '..')).setup.options.wait).toBe('poll');
});

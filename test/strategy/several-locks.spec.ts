import { VirtualClock, Schedule, before, type World } from '#lab/explore';
import { observe } from '#lab/step';
import {
  allOf,
  anyOf,
  DEFAULT_OPTIONS,
  findStrategy,
  LocalProcess,
  sellFromSegments,
  type Lock,
  type Tools,
} from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

/** A lock of a server that may fail for one command. `held` is the state on the server. */
class ServerLock implements Lock {
  held = false;

  constructor(
    readonly key: string,
    private readonly fails: 'never' | 'reply to the try' | 'release' = 'never',
  ) {}

  tryAcquire(): Promise<boolean> {
    this.held = true;
    return this.fails === 'reply to the try' ? Promise.reject(new Error('away')) : Promise.resolve(true);
  }

  release(): Promise<void> {
    if (this.fails === 'release') return Promise.reject(new Error('away'));
    this.held = false;
    return Promise.resolve();
  }
}

test('allOf: a failure in the middle releases the locks it has and those it may have', async () => {
  const locks = [new ServerLock('a'), new ServerLock('b'), new ServerLock('c', 'reply to the try')];
  await expect(allOf(locks).tryAcquire()).rejects.toThrow('away');
  expect(locks.map(({ held }) => held)).toEqual([false, false, false]);
});

test('anyOf: a failure releases the lock it may have', async () => {
  const locks = [new ServerLock('a', 'reply to the try'), new ServerLock('b')];
  await expect(anyOf(locks).tryAcquire()).rejects.toThrow('away');
  expect(locks.map(({ held }) => held)).toEqual([false, false]);
});

test('a failed release does not prevent the others, and is reported', async () => {
  const locks = [new ServerLock('a', 'release'), new ServerLock('b'), new ServerLock('c')];
  const all = allOf(locks);
  expect(await all.tryAcquire()).toBe(true);
  await expect(all.release()).rejects.toThrow('away');
  expect(locks.map(({ held }) => held)).toEqual([true, false, false]);
});

describe('a failed second step of an acquisition leaves no lock', () => {
  const cart = { carts: [['a', 'b']], processes: ['p1'] };
  test.each([
    ['multi', 'SET', 1, cart],
    ['redis-and-table', 'INSERT', 0, { processes: ['p1'] }],
    ['mysql-lock-table', 'INSERT', 0, { processes: ['p1'] }],
    ['replicated', 'WAIT', 0, { processes: ['p1'] }],
  ])('%s, at its %s', async (name, verb, earlier, setup) => {
    for (const fault of ['error', 'lose-reply'] as const) {
      const schedule = await Schedule.begin(world, findStrategy(name), setup);
      const { A } = schedule;
      for (let n = 0; n < earlier; n++) {
        await A.runUntil(before(verb));
        await A.step();
      }
      await A.runUntil(before(verb));
      await A.stepWith(fault);
      await A.finish();
      const { history } = await schedule.end();
      expect([fault, A.outcome]).toEqual([fault, 'DEPENDENCY.DOWN']);
      expect(history.final).toMatchObject({ movements: [], locks: [] });
    }
  });
});

test('a buyer that loses the race in every round gives up after waitMs in total', async () => {
  const time = new VirtualClock();
  const clock = time.for('A');
  const tools = {
    options: { ...DEFAULT_OPTIONS, waitMs: 100, retryMs: 10 },
    clock,
    process: new LocalProcess('p1'),
    warn: () => undefined,
    work: () => Promise.resolve(),
  } as unknown as Tools;
  let reads = 0;
  let tries = 0;
  const stock = {
    read: () => Promise.resolve([{ segment: 0, amount: ++reads % 2 }]), // gone as soon as the lock is acquired
    lock: () => ({
      key: 'lock',
      tryAcquire: () => Promise.resolve(++tries % 4 === 0),
      release: () => Promise.resolve(),
    }),
    sell: () => Promise.reject(new Error('there is nothing to sell')),
  };
  const change = { balance: 'a', delta: -1, request: 'A', replica: 'r', strategy: 's' };
  await expect(
    observe(
      {
        actor: 'A',
        listener: (_step, issue) => {
          if (time.now > 10_000) throw new Error('it waits forever');
          time.moveTo(time.now + 10);
          return issue();
        },
      },
      () => sellFromSegments(change, tools, stock),
    ),
  ).rejects.toMatchObject({ code: 'LOCK.NOT_OBTAINED' });
  expect(time.now).toBe(100);
});

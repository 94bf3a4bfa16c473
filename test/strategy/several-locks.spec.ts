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

/** A lock of a server that may be away for a command. `held` is what the server knows. */
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

test('all of several: a try that fails in the middle gives back what it got, and what it may have got', async () => {
  const locks = [new ServerLock('a'), new ServerLock('b'), new ServerLock('c', 'reply to the try')];
  await expect(allOf(locks).tryAcquire()).rejects.toThrow('away');
  expect(locks.map(({ held }) => held)).toEqual([false, false, false]);
});

test('any of several: a try that fails gives back what it may have got', async () => {
  const locks = [new ServerLock('a', 'reply to the try'), new ServerLock('b')];
  await expect(anyOf(locks).tryAcquire()).rejects.toThrow('away');
  expect(locks.map(({ held }) => held)).toEqual([false, false]);
});

test('a release that fails does not keep the others, and is told', async () => {
  const locks = [new ServerLock('a', 'release'), new ServerLock('b'), new ServerLock('c')];
  const all = allOf(locks);
  expect(await all.tryAcquire()).toBe(true);
  await expect(all.release()).rejects.toThrow('away');
  expect(locks.map(({ held }) => held)).toEqual([true, false, false]);
});

describe('a second step of taking a lock that fails leaves no lock', () => {
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

test('who is overtaken in each round waits for waitMs in all', async () => {
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
    read: () => Promise.resolve([{ segment: 0, amount: ++reads % 2 }]), // gone as soon as we are inside
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
          if (time.now > 10_000) throw new Error('it waits for ever');
          time.moveTo(time.now + 10);
          return issue();
        },
      },
      () => sellFromSegments(change, tools, stock),
    ),
  ).rejects.toMatchObject({ code: 'LOCK.NOT_OBTAINED' });
  expect(time.now).toBe(100);
});

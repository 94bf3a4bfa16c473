import type { Movement } from '#lab/balance';
import { LockFolder, Servers, SteppedRedis, systemClock } from '#lab/step';
import {
  DEFAULT_OPTIONS,
  LocalProcess,
  RedisPubSub,
  findStrategy,
  loadScripts,
  lockKey,
  type Tools,
} from '#lab/strategy';
import { tmpdir } from 'node:os';
import { eventually } from '../harness/eventually';
import { ANSWER_MS, LONGER_THAN_A_TEST } from '../harness/limits';
import { servers } from '../harness/servers';

/** The lease is longer than the timeout of a test: a waiter that misses a release fails it. */
const options = { ...DEFAULT_OPTIONS, ...LONGER_THAN_A_TEST, wait: 'notify' } as const;
const SKU = 'notices-spec';
const KEY = lockKey(SKU, 'token-lua');

let redis: SteppedRedis;
let subscriber: SteppedRedis;
let process: LocalProcess;
beforeEach(async () => {
  redis = new SteppedRedis({ url: servers().redis, name: 'notices-spec', timeoutMs: ANSWER_MS });
  subscriber = new SteppedRedis({ url: servers().redis, name: 'notices-spec-hears', timeoutMs: ANSWER_MS });
  await Promise.all([redis.connect(), subscriber.connect()]);
  await loadScripts(redis);
  await redis.del(KEY);
  process = new LocalProcess('p1', new RedisPubSub(subscriber));
});
afterEach(() => {
  redis.disconnect();
  subscriber.disconnect();
});

/** A buyer that needs the lock for `section`; the purchase itself is a stub. */
function buy(name: string, section: () => Promise<void> | void): Promise<Movement> {
  const change = { balance: SKU, delta: -1, request: name, replica: 'p1', strategy: 'token-lua' };
  const movement = { ...change, before: 1, after: 0 };
  const balances = {
    read: () => Promise.resolve(1),
    write: () => Promise.resolve(movement),
  } as unknown as Tools['balances'];
  return findStrategy('token-lua').apply(change, {
    balances,
    sqlLocks: {} as Tools['sqlLocks'],
    redis,
    servers: new Servers({}, 'none'),
    folder: new LockFolder(tmpdir()),
    options,
    process,
    clock: systemClock,
    work: async () => section(),
    warn: () => undefined,
  });
}

/** The names of the commands sent on `connections` from now on, without those inside scripts. */
function recordCommands(...connections: SteppedRedis[]): readonly string[] {
  const names: string[] = [];
  for (const connection of connections) {
    const send = connection.sendCommand.bind(connection);
    connection.sendCommand = (command, stream) => {
      names.push(command.name);
      return send(command, stream);
    };
  }
  return names;
}

const listening = (): Promise<void> =>
  eventually('one connection has subscribed', async () => {
    const [, listeners] = (await redis.pubsub('NUMSUB', `freed:${KEY}`)) as [string, number];
    return listeners === 1;
  });

test('waiters of one process are served in order over one subscription, with about two commands each', async () => {
  await redis.set(KEY, 'another client');
  const commands = recordCommands(redis, subscriber);
  const served: number[] = [];
  const enter = (i: number): Promise<Movement> => buy(`buyer ${i}`, () => void served.push(i));
  const first = enter(0);
  // its second attempt: it knows that it is subscribed, and those behind it need not subscribe
  await eventually(
    'the first waiter has tried again',
    () => commands.filter((one) => one === 'set').length === 2,
  );
  const buyers = [first, ...Array.from({ length: 31 }, (_, i) => enter(i + 1))];
  await redis.del(KEY);
  await redis.publish(`freed:${KEY}`, 'another client');
  await Promise.all(buyers);
  expect(served).toEqual(buyers.map((_, i) => i));
  // a SET and a release each, plus a few attempts: the first waiter's, and those after a broadcast
  expect(commands.length).toBeLessThan(32 * 2 + 10);
});

test('a lost subscriber connection is re-established, and every waiter checks the lock again', async () => {
  await redis.set(KEY, 'another client');
  const buyers = [buy('first', () => undefined), buy('second', () => undefined)];
  await listening();
  const id = await subscriberId();
  await redis.client('KILL', 'ID', id);
  await redis.del(KEY); // without publishing the release
  await Promise.all(buyers);
  expect(await subscriberId()).not.toBe(id);
});

test('subscriptions are restored on the new connection', async () => {
  await redis.set(KEY, 'another client');
  const first = buy('first', () => undefined);
  await listening();
  await redis.client('KILL', 'ID', await subscriberId());
  await listening();
  await redis.del(KEY);
  await redis.publish(`freed:${KEY}`, 'another client');
  await expect(first).resolves.toMatchObject({ request: 'first' });
});

async function subscriberId(): Promise<string> {
  let found = '';
  await eventually('the subscriber is connected', async () => {
    const list = (await redis.client('LIST')) as string;
    found = /id=(\d+) .*name=notices-spec-hears .*sub=1/.exec(list)?.[1] ?? '';
    return found !== '';
  });
  return found;
}

import { nameScript, observe, ORDER_KEY, SteppedRedis, type Step } from '#lab/step';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { servers } from '../harness/servers';

const REDIS_DB = 14; // this file's own
let redis: SteppedRedis;
const open = async (timeoutMs?: number): Promise<SteppedRedis> => {
  const opened = new SteppedRedis({
    url: `${servers().redis}/${REDIS_DB}`,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  await opened.connect();
  return opened;
};
beforeEach(async () => {
  redis = await open();
  await redis.flushdb();
});
afterEach(() => {
  redis.disconnect();
});

/** The steps that `body` makes. */
async function steps(body: () => Promise<unknown>, ordered = false): Promise<Step[]> {
  const seen: Step[] = [];
  const listener = (step: Step, issue: () => Promise<unknown>): Promise<unknown> => {
    seen.push(step);
    return issue();
  };
  await observe({ actor: 'A', listener, ordered }, body);
  return seen;
}

test('a command is one step, with its key', async () => {
  const [set] = await steps(() => redis.set('lock:{a}:s', 'me', 'PX', 5000, 'NX'));
  expect(set).toMatchObject({ actor: 'A', kind: 'redis', verb: 'SET', key: 'lock:{a}:s' });
  expect(set?.text).toBe('SET lock:{a}:s me PX 5000 NX');
});

test('commands on lock keys have numbers in the order of the server; others have none', async () => {
  const seen = await steps(async () => {
    await redis.set('lock:{a}:s', 'me');
    await redis.get('other');
    await redis.del('lock:{a}:s');
  }, true);
  const last = Number(await redis.get(ORDER_KEY));
  expect(seen.map(({ order }) => order)).toEqual([last - 1, undefined, last]);
});

test('the numbers go on above the ones before when Redis has restarted empty', async () => {
  const seen = await steps(async () => {
    await redis.set('lock:{a}:s', 'me');
    await redis.flushdb();
    await redis.set('lock:{a}:s', 'you');
  }, true);
  const [before = 0, , after = 0] = seen.map(({ order }) => order);
  expect(after).toBeGreaterThan(before);
});

test('the reply is the same with and without a number', async () => {
  await redis.set('lock:{a}:s', 'me');
  const replies: unknown[] = [];
  await steps(async () => {
    replies.push(
      await redis.set('lock:{a}:s', 'you', 'NX'),
      await redis.get('lock:{a}:s'),
      await redis.pttl('lock:{a}:s'),
    );
  }, true);
  expect(replies).toEqual([null, 'me', -1]);
});

test.each([false, true])(
  'what the server says about a command passes as it is (numbered: %p)',
  async (ordered) => {
    await redis.set('lock:{a}:s', 'text');
    const wrong = steps(() => redis.incr('lock:{a}:s'), ordered);
    await expect(wrong).rejects.toMatchObject({ name: 'ReplyError' });
    await expect(wrong).rejects.toThrow('not an integer');
  },
);

test('no reply in time is a dependency that is down', async () => {
  const impatient = await open(60);
  await expect(impatient.blpop('never', 0)).rejects.toMatchObject({
    code: 'DEPENDENCY.DOWN',
    dependency: 'redis',
  });
  impatient.disconnect();
});

test('a command whose connection was lost fails, and is not sent again', async () => {
  const victim = await open(5000);
  const id = await victim.client('ID');
  const lost = victim.blpop('list', 0).catch((error: unknown) => error);
  await redis.ping(); // BLPOP stands in the server before its connection is killed
  while (!String(await redis.client('LIST')).includes('cmd=blpop')) await redis.ping();
  const back = new Promise((resolve) => victim.once('ready', resolve));
  await redis.client('KILL', 'ID', id);
  expect(await lost).toMatchObject({ code: 'DEPENDENCY.DOWN' });
  await back;
  await redis.rpush('list', 'x');
  await victim.ping();
  expect(await redis.llen('list')).toBe(1);
  victim.disconnect();
});

test('while Redis is away a command fails at once instead of waiting in a queue', async () => {
  const away = new SteppedRedis({ url: 'redis://127.0.0.1:1' }, { retryStrategy: () => null });
  await away.connect().catch(() => undefined);
  await expect(away.get('x')).rejects.toThrow();
});

test('a script whose text is sent, because the server does not know it, is the same step', async () => {
  const text = "return redis.call('SET', KEYS[1], ARGV[1])";
  nameScript(createHash('sha1').update(text).digest('hex'), 'take-it');
  const seen = await steps(() => redis.eval(text, 1, 'lock:{a}:s', 'me'), true);
  expect(seen).toMatchObject([
    { verb: 'EVAL', script: 'take-it', key: 'lock:{a}:s', text: 'EVAL take-it lock:{a}:s me' },
  ]);
  expect(seen[0]?.order).toBeGreaterThan(0);
});

test('commands of one turn leave together, in their order', async () => {
  const waiting = [redis.stream.writableLength];
  const sent = (command: Promise<unknown>): Promise<unknown> => {
    waiting.push(redis.stream.writableLength);
    return command;
  };
  const replies = await Promise.all([
    sent(redis.set('a', '1')),
    sent(redis.incr('a')),
    Promise.resolve().then(() => sent(redis.incr('a'))), // as the next waiter's try behind a release
  ]);
  const [none, one = 0, two = 0, three = 0] = waiting;
  expect(none).toBe(0);
  expect(one).toBeGreaterThan(0);
  expect(two).toBeGreaterThan(one);
  expect(three).toBeGreaterThan(two);
  expect(redis.stream.writableLength).toBe(0);
  expect(replies).toEqual(['OK', 2, 3]);
});

test('of several without a reply each gives up after its own time, and the connection goes on', async () => {
  const impatient = await open(300);
  const blocked = impatient.blpop('never', 0); // whatever is sent behind it waits too
  const begun = performance.now();
  const late = async (command: Promise<unknown>): Promise<number> => {
    await expect(command).rejects.toMatchObject({ code: 'DEPENDENCY.DOWN' });
    return performance.now() - begun;
  };
  const first = late(blocked);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const second = late(impatient.get('x'));
  expect(await first).toBeGreaterThan(298);
  expect(await second).toBeGreaterThan(448);
  await redis.rpush('never', 'x');
  expect(await impatient.ping()).toBe('PONG');
  impatient.disconnect();
});

test('WAIT can be sent without the time limit that the command names, and the step still names it', async () => {
  const patient = new SteppedRedis({ url: `${servers().redis}/${REDIS_DB}`, replicaMs: 0 });
  await patient.connect();
  const id = await patient.client('ID');
  let answer: unknown;
  const [wait] = await steps(async () => {
    void patient.wait(1, 1).then((acknowledged) => (answer = acknowledged));
    await Promise.resolve();
  });
  await delay(100); // a hundred times the limit
  expect(answer).toBeUndefined();
  expect(await redis.client('UNBLOCK', id)).toBe(1); // it was still blocked
  await patient.quit();
  expect(answer).toBe(0);
  expect(wait?.text).toBe('WAIT 1 1');
});

import { nameScript, observe, ORDER_KEY, SteppedRedis, type Step } from '#lab/step';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../harness/eventually';
import { ANSWER_MS } from '../harness/limits';
import { servers } from '../harness/servers';

const REDIS_DB = 14; // only this file uses it
let redis: SteppedRedis;
const open = async (timeoutMs = ANSWER_MS): Promise<SteppedRedis> => {
  const opened = new SteppedRedis({ url: `${servers().redis}/${REDIS_DB}`, timeoutMs });
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

/** The steps that `body` issues. */
async function steps(body: () => Promise<unknown>, ordered = false): Promise<Step[]> {
  const seen: Step[] = [];
  const listener = (step: Step, issue: () => Promise<unknown>): Promise<unknown> => {
    seen.push(step);
    return issue();
  };
  await observe({ actor: 'A', listener, ordered }, body);
  return seen;
}

test('a command is one step with its key', async () => {
  const [set] = await steps(() => redis.set('lock:{a}:s', 'me', 'PX', 5000, 'NX'));
  expect(set).toMatchObject({ actor: 'A', kind: 'redis', verb: 'SET', key: 'lock:{a}:s' });
  expect(set?.text).toBe('SET lock:{a}:s me PX 5000 NX');
});

test('commands on lock keys are numbered in the order of the server; others are not', async () => {
  const seen = await steps(async () => {
    await redis.set('lock:{a}:s', 'me');
    await redis.get('other');
    await redis.del('lock:{a}:s');
  }, true);
  const last = Number(await redis.get(ORDER_KEY));
  expect(seen.map(({ order }) => order)).toEqual([last - 1, undefined, last]);
});

test('the numbers continue above the previous ones when Redis has restarted empty', async () => {
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

test.each([false, true])('a server error passes unchanged (numbered: %p)', async (ordered) => {
  await redis.set('lock:{a}:s', 'text');
  const wrong = steps(() => redis.incr('lock:{a}:s'), ordered);
  await expect(wrong).rejects.toMatchObject({ name: 'ReplyError' });
  await expect(wrong).rejects.toThrow('not an integer');
});

test('a reply that does not arrive in time is DEPENDENCY.DOWN', async () => {
  const shortTimeout = await open(60);
  await expect(shortTimeout.blpop('never', 0)).rejects.toMatchObject({
    code: 'DEPENDENCY.DOWN',
    dependency: 'redis',
  });
  shortTimeout.disconnect();
});

test('a command whose connection was lost fails and is not sent again', async () => {
  const victim = await open();
  const id = await victim.client('ID');
  const lost = victim.blpop('list', 0).catch((error: unknown) => error);
  await redis.ping(); // the server executes BLPOP before its connection is killed
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

test('while Redis is down a command fails at once instead of waiting in a queue', async () => {
  const down = new SteppedRedis({ url: 'redis://127.0.0.1:1' }, { retryStrategy: () => null });
  await down.connect().catch(() => undefined);
  await expect(down.get('x')).rejects.toThrow();
});

test('a script sent as text, because the server does not know it, is the same step', async () => {
  const text = "return redis.call('SET', KEYS[1], ARGV[1])";
  nameScript(createHash('sha1').update(text).digest('hex'), { name: 'take-it' });
  const seen = await steps(() => redis.eval(text, 1, 'lock:{a}:s', 'me'), true);
  expect(seen).toMatchObject([
    { verb: 'EVAL', script: 'take-it', key: 'lock:{a}:s', text: 'EVAL take-it lock:{a}:s me' },
  ]);
  expect(seen[0]?.order).toBeGreaterThan(0);
});

test('a script without a name is named by the commands that it calls, also when it was loaded before', async () => {
  const text =
    'if redis.call(\'get\', KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0';
  const sha = createHash('sha1').update(text).digest('hex');
  const name = `Lua(GET,DEL)#${sha.slice(0, 6)}`;
  const seen = await steps(async () => {
    await redis.eval(text, 1, 'lock:{a}:s', 'me');
    await redis.script('LOAD', text);
    await redis.evalsha(sha, 1, 'lock:{a}:s', 'me');
  });
  expect(seen.map(({ script }) => script)).toEqual([name, undefined, name]);
  expect(seen[2]?.text).toBe(`EVALSHA ${name} lock:{a}:s me`);
});

test.each<[what: string, send: () => Promise<unknown>]>([
  ['in a command', () => redis.set('a', '1', 'PXAT', 5000)],
  ['in a pipeline', async () => (await redis.pipeline().expireat('a', 5).exec())?.map(([error]) => error)],
  ['in a multi', () => redis.multi().set('a', '1').pexpireat('a', 5000).exec()],
  ['in a script', () => redis.eval("return redis.call('SET', KEYS[1], '1', 'EXAT', ARGV[1])", 1, 'a', 5)],
])('an absolute time %s is refused in a schedule', async (_, send) => {
  const listener = (_step: Step, issue: () => Promise<unknown>): Promise<unknown> => issue();
  const sent = observe({ actor: 'A', listener, scheduleTime: () => 0 }, send);
  expect(await sent.catch((error: unknown) => [error])).toEqual([
    expect.objectContaining({ code: 'EXPLORE.COMMAND' }),
  ]);
  expect(await redis.exists('a')).toBe(0);
});

test('commands of one event loop turn are sent together, in order', async () => {
  const waiting = [redis.stream.writableLength];
  const sent = (command: Promise<unknown>): Promise<unknown> => {
    waiting.push(redis.stream.writableLength);
    return command;
  };
  const replies = await Promise.all([
    sent(redis.set('a', '1')),
    sent(redis.incr('a')),
    Promise.resolve().then(() => sent(redis.incr('a'))), // like the attempt of the next waiter after a release
  ]);
  const [none, one = 0, two = 0, three = 0] = waiting;
  expect(none).toBe(0);
  expect(one).toBeGreaterThan(0);
  expect(two).toBeGreaterThan(one);
  expect(three).toBeGreaterThan(two);
  expect(redis.stream.writableLength).toBe(0);
  expect(replies).toEqual(['OK', 2, 3]);
});

test('of several commands without a reply each times out separately, and the connection stays usable', async () => {
  const shortTimeout = await open(300);
  const blocked = shortTimeout.blpop('never', 0); // every later command waits behind it
  const begun = performance.now();
  const late = async (command: Promise<unknown>): Promise<number> => {
    await expect(command).rejects.toMatchObject({ code: 'DEPENDENCY.DOWN' });
    return performance.now() - begun;
  };
  const first = late(blocked);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const second = late(shortTimeout.get('x'));
  expect(await first).toBeGreaterThan(298);
  expect(await second).toBeGreaterThan(448);
  await redis.rpush('never', 'x');
  let reply: string | undefined;
  await eventually('the connection answers in time', async () => {
    reply = await shortTimeout.ping().catch(() => undefined);
    return reply !== undefined;
  });
  expect(reply).toBe('PONG');
  shortTimeout.disconnect();
});

test('WAIT can be sent without the timeout that the command names, and the step still names it', async () => {
  const withoutTimeout = new SteppedRedis({
    url: `${servers().redis}/${REDIS_DB}`,
    timeoutMs: ANSWER_MS,
    replicaMs: 0,
  });
  await withoutTimeout.connect();
  const id = await withoutTimeout.client('ID');
  let answer: unknown;
  const [wait] = await steps(async () => {
    void withoutTimeout.wait(1, 1).then((acknowledged) => (answer = acknowledged));
    await Promise.resolve();
  });
  await delay(100); // a hundred times the timeout
  expect(answer).toBeUndefined();
  expect(await redis.client('UNBLOCK', id)).toBe(1); // the command was still blocked
  await withoutTimeout.quit();
  expect(answer).toBe(0);
  expect(wait?.text).toBe('WAIT 1 1');
});

test('each command of a pipeline is a step; MULTI with its commands is one', async () => {
  const replies: unknown[] = [];
  const seen = await steps(async () => {
    replies.push(
      await redis.pipeline().set('a', 1).incr('a').lpush('a', 'x').exec(),
      await redis.multi().set('b', 1).incr('b').exec(),
    );
  });
  expect(seen.map(({ text }) => text)).toEqual([
    ...['SET a 1', 'INCR a', 'LPUSH a x'],
    'MULTI; SET b 1; INCR b; EXEC',
  ]);
  expect(replies).toEqual([
    [[null, 'OK'], [null, 2], [expect.objectContaining({ name: 'ReplyError' })]],
    [
      [null, 'OK'],
      [null, 2],
    ],
  ]);
});

test('a numbered command does not end the WATCH or MULTI of its connection', async () => {
  await steps(async () => {
    await redis.watch('lock:{a}:s');
    await redis.get('lock:{a}:s');
    const other = await open();
    await other.set('lock:{a}:s', 'you');
    other.disconnect();
    await redis.multi({ pipeline: false });
    await redis.set('lock:{a}:s', 'me');
    expect(await redis.exec()).toBeNull();
  }, true);
  expect(await redis.get('lock:{a}:s')).toBe('you');
});

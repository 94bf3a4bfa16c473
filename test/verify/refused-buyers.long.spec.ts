import { emptyTally, judgeCell } from '#lab/explore';
import { openOwnFiles } from './own-files';

const { ofFile, promiseOf } = openOwnFiles(__filename);

/** A lock that is a list: the second of two buyers leaves it, and neither buys when both have seen the other. */
const GIVES_UP = `exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs }) {
    const me = require('node:crypto').randomUUID();
    await redis.rpush(resource, me);
    await redis.pexpire(resource, leaseMs);
    if ((await redis.llen(resource)) === 1) return { resource, me };
    await redis.lrem(resource, 1, me);
    return undefined;
  },
  release: ({ resource, me }) => redis.lrem(resource, 1, me),
});`;

/** A lock that looks at the time before each attempt. */
const WHILE_IN_TIME = `exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs, waitMs }) {
    const until = Date.now() + waitMs;
    while (Date.now() < until) {
      if ((await redis.set(resource, 'me', 'PX', leaseMs, 'NX')) === 'OK') return { resource };
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return undefined;
  },
  release: ({ resource }) => redis.del(resource),
});`;

/** A semaphore of one permit. Its release removes all permits, also one that another buyer has taken after the lease. */
const REMOVES_ALL = `let count = 0;
const TAKE = \`redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1\`;
exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs }) {
    const now = Date.now();
    return (await redis.eval(TAKE, 1, resource, now, now + leaseMs, ++count, leaseMs)) === 1 ? { resource } : undefined;
  },
  release: ({ resource }) => redis.del(resource),
});`;

test('a lock with which both buyers may give up does not keep the promise that one of them gets the unit', async () => {
  const result = await promiseOf(ofFile('gives-up.js', GIVES_UP), 'exactAcrossProcesses');
  expect(result).toMatchObject({
    state: 'broken',
    because: 'in these schedules no buyer gets the unit',
  });
  expect(result?.violating).toBeGreaterThan(0);
  expect(result?.violating).toBeLessThan(result?.schedules ?? 0);
});

test('a lock that makes no attempt when it may not wait decides nothing, and the card says why', async () => {
  expect(await promiseOf(ofFile('in-time.js', WHILE_IN_TIME), 'releasesAfterSale')).toMatchObject({
    state: 'unknown',
    because: expect.stringContaining('must try once before it looks at the time') as string,
  });
});

test('a lock without a known owner decides no promise about owners, and the card says why', async () => {
  expect(await promiseOf(ofFile('removes-all.js', REMOVES_ALL), 'releasesOnlyItsOwn')).toMatchObject({
    state: 'unknown',
    because: expect.stringContaining('the explorer knows no owner of this lock') as string,
  });
});

test('the end of a lock without a known owner is named as the cause of an oversell', async () => {
  expect(await promiseOf(ofFile('removes-all.js', REMOVES_ALL), 'survivesLapse')).toMatchObject({
    state: 'broken',
    sentence: expect.stringMatching(/^the lock .+ ended at step \d+; no owner of it is known; /) as string,
  });
});

test('an exploration that ended before its fault occurred is incomplete: the fault may still occur', () => {
  const tally = { ...emptyTally(), schedules: 5, contended: 5 };
  expect(judgeCell({ ...tally, partial: true }, 'kill')).toMatchObject({ reason: { code: 'incomplete' } });
  expect(judgeCell(tally, 'kill')).toMatchObject({ reason: { code: 'fault-never-fired' } });
});

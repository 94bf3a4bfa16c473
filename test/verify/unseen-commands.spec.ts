import { probe } from '#lab/explore';
import { SteppedRedis } from '#lab/step';
import type { Redis } from 'ioredis';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

/** A lock that takes its key, and releases it, by an expression. */
const taking = (take: string, release = 'redis.del(key)'): string => `
  const outside = require('node:async_hooks').AsyncLocalStorage.snapshot(); // runs code that belongs to no request
  const SET = "return redis.call('SET', KEYS[1], 'x', 'PX', ARGV[1], 'NX')";
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs }) {
      const key = 'mine é ' + resource;
      await ${take};
      return { key };
    },
    release: ({ key }) => ${release},
  });`;

test('a command over the connection of a request that is no step is found', async () => {
  const code = taking("(await outside(() => redis.set('hidden', 1)), redis.set(key, 'x'))");
  const { unseen } = await probe(world(), ofFile('outside.js', code));
  expect(unseen).toEqual(['Redis received SET hidden 1']);
});

test.each([
  ['a command', "redis.set(key, 'x', 'PX', leaseMs, 'NX')"],
  ['a script', 'redis.eval(SET, 1, key, leaseMs)'],
  [
    'a named script',
    "(redis.defineCommand('take', { lua: SET, numberOfKeys: 1 }), redis.take(key, leaseMs))",
  ],
  ['a script without keys', 'redis.eval("return 1", 0)'],
  ['a pipeline', "redis.pipeline().get('other').set(key, 'x').exec()"],
  ['MULTI', "redis.multi().get('other').set(key, 'x').exec()"],
  [
    'MULTI in single commands',
    "(await redis.multi({ pipeline: false }), await redis.set(key, 'x'), redis.exec())",
  ],
  ['WATCH', "(await redis.watch(key), redis.multi().set(key, 'x').exec())"],
  ['a copy of the connection', "redis.duplicate().set(key, 'x')"],
])('%s of a lock is a step', async (name, take) => {
  const { code, unseen } = await probe(
    world(),
    ofFile(`${name.replaceAll(' ', '-').toLowerCase()}.js`, taking(take)),
  );
  expect([code, unseen]).toEqual(['APPLIED', []]);
});

test('a command over a connection that an earlier request opened is found', async () => {
  const { redis: url } = world().options;
  const shared: { ofEarlier?: Redis } = SteppedRedis as object; // one class for all requests
  const code = taking(
    `(await (redis.constructor.ofEarlier ??= new (Object.getPrototypeOf(redis.constructor))('${url}')).incr('hidden'), redis.set(key, 'x'))`,
  );
  const { unseen } = await probe(world(), ofFile('earlier.js', code));
  shared.ofEarlier?.disconnect();
  expect(unseen).toEqual([`"INCR hidden" to Redis (port ${new URL(url).port})`]);
});

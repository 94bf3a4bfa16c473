/* eslint-disable no-restricted-properties -- Date.now() is virtual in a schedule */
import { Redis } from 'ioredis';
import { kitServers, showAll } from './support';

interface Clients {
  readonly redis: Redis;
}

const LEASE_MS = 10_000;

/** What an actor returns that takes a lock for `LEASE_MS` and then does this, beside one that writes another key. */
async function returned(act: (redis: Redis) => Promise<unknown>): Promise<readonly string[]> {
  const { results } = await showAll(
    {
      servers: kitServers(),
      connect: ({ redis }: { redis: string }): Clients => ({ redis: new Redis(redis) }),
      actors: [
        async ({ redis }) => {
          await redis.set('lock', 'me', 'PX', LEASE_MS);
          return act(redis);
        },
        ({ redis }) => redis.append('other', 'x'),
      ],
    },
    (_, [outcome]) => outcome?.value,
  );
  return results;
}

test.each<[how: string, act: (redis: Redis) => Promise<unknown>]>([
  ['of a text that is extended', (redis) => redis.append('lock', 'x').then(() => redis.pttl('lock'))],
  [
    'of a value that is set with KEEPTTL',
    (redis) => redis.set('lock', 'x', 'KEEPTTL').then(() => redis.pttl('lock')),
  ],
  ['of a key that is renamed', (redis) => redis.rename('lock', 'moved').then(() => redis.pttl('moved'))],
  [
    'of a key that is renamed to one with a longer time',
    async (redis) => {
      await redis.set('moved', 'me', 'PX', 3 * LEASE_MS);
      await redis.rename('lock', 'moved');
      return redis.pttl('moved');
    },
  ],
  ['of a copy', (redis) => redis.copy('lock', 'copied').then(() => redis.pttl('copied'))],
  [
    'of a key to which another one could not be renamed',
    async (redis) => {
      await redis.set('short', 'x', 'PX', LEASE_MS / 2);
      await redis.renamenx('short', 'lock');
      return redis.pttl('lock');
    },
  ],
  [
    'that a MULTI reads',
    (redis) =>
      redis
        .multi()
        .get('lock')
        .pttl('lock')
        .exec()
        .then((replies) => replies?.[1]?.[1]),
  ],
  [
    'that a MULTI reads before it changes it',
    (redis) =>
      redis
        .multi()
        .pttl('lock')
        .pexpire('lock', 3 * LEASE_MS)
        .exec()
        .then((replies) => replies?.[0]?.[1]),
  ],
  [
    'that a MULTI reads after it has set it',
    (redis) =>
      redis
        .multi()
        .incr('count')
        .pexpire('count', LEASE_MS)
        .pttl('count')
        .exec()
        .then((replies) => replies?.[2]?.[1]),
  ],
])('the time to live %s is that of the schedule', async (_, act) => {
  expect(await returned(act)).toEqual([String(LEASE_MS)]);
});

test('a hash that is changed expires when its time is over', async () => {
  const { results } = await showAll(
    {
      servers: kitServers(),
      faults: { lapse: 1 },
      connect: ({ redis }: { redis: string }): Clients => ({ redis: new Redis(redis) }),
      actors: [
        async ({ redis }) => {
          const begun = Date.now();
          await redis.hset('session', 'visits', 1);
          await redis.pexpire('session', LEASE_MS);
          await redis.hincrby('session', 'visits', 1);
          return [(await redis.hget('session', 'visits')) ?? 'expired', Date.now() - begun];
        },
        ({ redis }) => redis.get('other'),
      ],
    },
    (_, [outcome]) => outcome?.value,
  );
  expect(results).toEqual(
    [
      ['1', LEASE_MS],
      ['2', 0],
      ['expired', LEASE_MS],
    ].map((one) => JSON.stringify(one)),
  );
});

test('a client with the option stringNumbers: a key expires, and its time to live is that of the schedule', async () => {
  const { results } = await showAll(
    {
      faults: { lapse: 1 },
      connect: ({ redis }: { redis: string }): Clients => ({
        redis: new Redis(redis, { stringNumbers: true }),
      }),
      actors: [
        async ({ redis }) => {
          await redis.set('lock', 'me', 'PX', LEASE_MS);
          return redis.pttl('lock');
        },
        ({ redis }) => redis.append('other', 'x'),
      ],
    },
    (_, [outcome]) => outcome?.value,
  );
  expect(results).toEqual(['"-2"', `"${LEASE_MS}"`]);
});

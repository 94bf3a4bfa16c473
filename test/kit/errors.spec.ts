import { CannotExplore, explore, type Options } from '#lab/kit';
import { Redis } from 'ioredis';
import { createPool } from 'mysql2/promise';
import { kitServers } from './support';

interface Clients {
  readonly redis: Redis;
}

const good: Options<Clients> = {
  connect: ({ redis }) => ({ redis: new Redis(redis) }),
  actors: [({ redis }) => redis.get('a'), ({ redis }) => redis.get('b')],
  invariants: { 'it holds': () => true },
};

const run = (changes: object): Promise<unknown> => explore({ servers: kitServers(), ...good, ...changes });

const { redis, mysql } = { redis: 'redis://127.0.0.1:1/15', mysql: 'mysql://root@127.0.0.1:1' };

test.each<[what: string, changes: object, why: RegExp]>([
  ['no connect', { connect: undefined }, /connect must be a function/],
  ['one actor', { actors: [good.actors[0]] }, /2 or 3 actors, not 1/],
  ['four actors', { actors: Array.from({ length: 4 }, () => good.actors[0]) }, /2 or 3 actors, not 4/],
  ['an actor that is no function', { actors: ['a', 'b'] }, /actors must be a list of functions/],
  ['a prepare that is no function', { prepare: 'SELECT 1' }, /prepare must be a function/],
  ['no invariants', { invariants: {} }, /invariants must be an object of functions/],
  ['an unknown fault', { faults: { explode: 1 } }, /"explode: 1" must be one of .*kill/],
  [
    'a fault of the lab that no subject can have',
    { faults: { slow: 1 } },
    /"slow: 1" must be one of kill, host-down, in-flight, error, lose-reply, lapse, pause, cut, flush, lost-session, with/,
  ],
  ['half a fault', { faults: { kill: 0.5 } }, /a number from 0 to 9/],
  ['a misspelt option', { second: 3 }, /there is no option "second"/],
  ['an unknown isolation', { isolation: 'SERIALIZABLE' }, /isolation must be one of: READ COMMITTED/],
  [
    'a Redis without the number of its database',
    { servers: { mysql, redis: 'redis://127.0.0.1:1' } },
    /must name the database that may be emptied/,
  ],
  ['a server with a schema', { servers: { mysql: `${mysql}/shop`, redis } }, /an address without a schema/],
])('%s is refused before a server is used', async (_, changes, why) => {
  const refused = run(changes);
  await expect(refused).rejects.toThrow(why);
  await expect(refused).rejects.toMatchObject({ name: 'CannotExplore', code: 'KIT.OPTIONS' });
});

test.each([
  ['no token', 'abc', /./],
  ['of another subject', 'v1.kit-other..0.12.ab3a2.LLnVnV.I.9f3d85', /./],
])('a token that is %s is refused', async (_, token, why) => {
  const refused = run({ token });
  await expect(refused).rejects.toThrow(CannotExplore);
  await expect(refused).rejects.toThrow(why);
});

test('actors that always throw test nothing, and their error is named', async () => {
  const fail = (): never => {
    throw new Error('no such table');
  };
  await expect(run({ actors: [fail, fail] })).rejects.toThrow(
    /every actor threw in every schedule.*no such table/,
  );
});

test('the clients of all actors are closed when setUp ends the pool that they share', async () => {
  const all: Redis[] = [];
  const shared = createPool({ uri: kitServers().mysql, connectionLimit: 1 });
  const connect = (addresses: { redis: string }): Clients => {
    const one = new Redis(addresses.redis);
    all.push(one);
    return { redis: one, pool: shared } as Clients;
  };
  await expect(run({ connect, setUp: () => shared.end() })).rejects.toThrow(/Pool is closed/);
  expect(all.map(({ status }) => status)).toEqual(['end', 'end', 'end']);
});

test('an actor that waits for what is not seen ends the search, with its last step', async () => {
  const actors: Options<Clients>['actors'] = [
    async ({ redis }) => {
      await redis.get('seen');
      await new Promise(() => undefined);
    },
    ({ redis }) => redis.get('b'),
  ];
  const refused = run({ actors });
  await expect(refused).rejects.toThrow(/A .*GET seen/);
  await expect(refused).rejects.toMatchObject({ code: 'EXPLORE.OUTSIDE_THE_SEAM' });
});

test('a command on a connection that waits in a blocking command ends the search', async () => {
  const actors: Options<Clients>['actors'] = [
    ({ redis }) => Promise.all([redis.blpop('queue', 0), redis.set('ready', 1)]),
    ({ redis }) => redis.lpush('queue', 'job'),
  ];
  const refused = run({ actors });
  await expect(refused).rejects.toThrow(
    /A sends SET ready 1 on a Redis connection that waits in BLPOP queue/,
  );
  await expect(refused).rejects.toMatchObject({ code: 'EXPLORE.QUEUED_COMMAND' });
});

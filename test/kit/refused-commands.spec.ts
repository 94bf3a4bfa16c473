import { explore } from '#lab/kit';
import { Redis } from 'ioredis';
import { kitServers } from './support';

interface Clients {
  readonly redis: Redis;
}

const later = 60_000;

test.each<[what: string, take: (redis: Redis) => Promise<unknown>]>([
  ['SET … PXAT', (redis) => redis.set('lock', 'me', 'PXAT', later, 'NX')],
  ['a SET … pxat by call', (redis) => redis.call('SET', 'lock', 'me', 'pxat', String(later), 'NX')],
  ['PEXPIREAT', (redis) => redis.pexpireat('lock', later)],
  ['EXPIREAT in a pipeline', (redis) => redis.pipeline().get('a').expireat('lock', later).exec()],
  ['EXAT in a multi', (redis) => redis.multi().get('a').set('lock', 'me', 'EXAT', later).exec()],
  [
    'a script that uses PXAT',
    (redis) => redis.eval("return redis.call('SET', KEYS[1], 'me', 'PXAT', ARGV[1])", 1, 'lock', later),
  ],
])('%s ends the exploration with EXPLORE.COMMAND, also when the code catches errors', async (_, take) => {
  const buy = async ({ redis }: Clients): Promise<void> => {
    await take(redis).catch(() => undefined);
  };
  const exploring = explore({
    servers: kitServers(),
    connect: ({ redis }): Clients => ({ redis: new Redis(redis) }),
    actors: [buy, buy],
    invariants: { 'it is never judged': () => false },
  });
  await expect(exploring).rejects.toMatchObject({
    code: 'EXPLORE.COMMAND',
    message: expect.stringContaining('has an absolute time') as unknown,
  });
});

test('a script that the server has loaded before is refused by the text of its definition', async () => {
  const { redis: url } = kitServers();
  const lua = "return redis.call('PEXPIREAT', KEYS[1], ARGV[1])";
  const own = new Redis(url);
  await own.script('LOAD', lua);
  own.disconnect();
  const exploring = explore({
    servers: kitServers(),
    connect: ({ redis }) => {
      const client = new Redis(redis);
      client.defineCommand('endAt', { lua, numberOfKeys: 1 });
      return { redis: client as Redis & { endAt(key: string, at: number): Promise<unknown> } };
    },
    actors: [({ redis }) => redis.endAt('lock', later), ({ redis }) => redis.get('lock')],
    invariants: { 'it is never judged': () => false },
  });
  await expect(exploring).rejects.toMatchObject({ code: 'EXPLORE.COMMAND' });
});

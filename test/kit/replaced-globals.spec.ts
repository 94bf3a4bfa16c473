/* eslint-disable no-restricted-properties, no-restricted-globals -- the code of a user */
import { explore, type Options } from '#lab/kit';
import { Redis } from 'ioredis';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import timers from 'node:timers';
import { setTimeout as delay } from 'node:timers/promises';
import { kitServers, showAll } from './support';

interface Clients {
  readonly redis: Redis;
}

const connect = ({ redis }: { redis: string }): Clients => ({ redis: new Redis(redis) });

/** What an actor returns in the schedules beside one that writes another key. */
const returned = async (act: (clients: Clients) => unknown): Promise<readonly string[]> => {
  const { results } = await showAll(
    { connect, actors: [act, ({ redis }) => redis.append('other', 'x')] },
    (_, [outcome]) => outcome?.value ?? outcome?.error,
  );
  return results;
};

const HOUR_MS = 3_600_000;

describe('a timer has the time of the schedule', () => {
  test.each<[name: string, wait: () => Promise<unknown>]>([
    ['setTimeout of node:timers', () => new Promise((resolve) => timers.setTimeout(resolve, HOUR_MS))],
    [
      'AbortSignal.timeout',
      () =>
        new Promise((resolve) => {
          AbortSignal.timeout(HOUR_MS).addEventListener('abort', resolve);
        }),
    ],
  ])('%s', async (_, wait) => {
    const passed = async ({ redis }: Clients): Promise<number> => {
      const begun = Date.now();
      await wait();
      await redis.append('key', 'x');
      return Date.now() - begun;
    };
    await expect(returned(passed)).resolves.toEqual([String(HOUR_MS)]);
  });

  test('that a client sets for each command, and clears when its socket receives the reply', async () => {
    const acquire = async ({ redis }: Clients): Promise<void> => {
      while ((await redis.set('lock', 'held', 'PX', 10_000, 'NX')) === null) await delay(50);
      const sum = Number(await redis.get('sum'));
      await redis.set('sum', sum + 1);
      await redis.del('lock');
    };
    const explored = await explore({
      servers: kitServers(),
      connect: ({ redis }) => ({ redis: new Redis(redis, { commandTimeout: 5000 }) }),
      actors: [acquire, acquire],
      invariants: { 'both are counted': async ({ redis }) => (await redis.get('sum')) === '2' },
    });
    expect(explored).toMatchObject({ complete: true });
  });
});

test('the values of Math.random are the same in each schedule, and differ between actors', async () => {
  const draw = async ({ redis }: Clients): Promise<number> => {
    await redis.append('key', 'x');
    return Math.random();
  };
  const { results, schedules } = await showAll({ connect, actors: [draw, draw] }, (_, outcomes) =>
    outcomes.map(({ value }) => value),
  );
  expect(schedules).toBeGreaterThan(1);
  expect(results).toHaveLength(1);
  const [first, second] = JSON.parse(results[0] ?? '') as number[];
  expect(first).not.toBe(second);
});

describe('the time of the schedule does not advance while an actor waits for an HTTP response', () => {
  const ANSWER_MS = 100;
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((_, response) => {
      response.write('pa'); // the rest of the body comes later
      setTimeout(() => response.end('id'), ANSWER_MS);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each<[name: string, pay: () => Promise<unknown>]>([
    [
      'fetch beside a timer',
      () => Promise.race([fetch(url).then((response) => response.text()), delay(5000, 'no answer')]),
    ],
    [
      'fetch with AbortSignal.timeout',
      async () => (await fetch(url, { signal: AbortSignal.timeout(5000) })).text(),
    ],
    [
      'node:http beside a timer',
      () =>
        new Promise((resolve) => {
          setTimeout(resolve, 5000, 'no answer');
          get(url, (response) => {
            let body = '';
            response.on('data', (part) => (body += String(part)));
            response.on('end', () => {
              resolve(body);
            });
          });
        }),
    ],
  ])('%s', async (_, pay) => {
    const payFirst = async ({ redis }: Clients): Promise<unknown> => {
      const answer = await pay();
      await redis.append('key', 'x');
      return answer;
    };
    await expect(returned(payFirst)).resolves.toEqual(['"paid"']);
  });

  test('it advances when the code leaves the body unread', async () => {
    const status: Options<Clients>['actors'][number] = async ({ redis }) => {
      const code = await new Promise((resolve) => {
        get(url, ({ statusCode }) => {
          resolve(statusCode);
        });
      });
      await delay(HOUR_MS);
      await redis.append('key', 'x');
      return code;
    };
    await expect(returned(status)).resolves.toEqual(['200']);
  });
});

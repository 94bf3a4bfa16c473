import { cellOf, explore, normalize, planOf, play, Realm, Schedule } from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openOwnFiles } from './own-files';

const { world, folder, ofFile } = openOwnFiles(__filename);

/** A lock whose token is the value of `expression`; it can be seen in the history. */
const withToken = (expression: string): string => `
  const crypto = require('node:crypto');
  const { promisify } = require('node:util');
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs }) {
      const token = ${expression};
      return (await redis.set(resource, String(token), 'PX', leaseMs, 'NX')) === 'OK' ? resource : undefined;
    },
    release: (resource) => redis.del(resource),
  });`;

/** The tokens that A and B have sent. */
async function tokensOf(strategy: Strategy): Promise<readonly string[]> {
  const { setup } = planOf(strategy, cellOf('two processes'));
  const { history } = await play(world(), setup, [], { strict: false });
  return history.events.flatMap((event) =>
    event.type === 'step' && event.verb === 'SET' ? (event.text.split(' ')[2] ?? '') : [],
  );
}

test.each([
  ['Math.random()'],
  ['crypto.randomUUID()'],
  ['globalThis.crypto.randomUUID()'],
  ["crypto.randomBytes(16).toString('hex')"],
  ['crypto.randomInt(1_000_000_000)'],
  ["(await promisify(crypto.randomBytes)(16)).toString('hex')"],
  ["Buffer.from(crypto.webcrypto.getRandomValues(new Uint8Array(8))).toString('hex')"],
])('%s is the same in every run of a schedule, and different for each actor', async (expression) => {
  const strategy = ofFile('random.js', withToken(expression));
  const [first, again] = [await tokensOf(strategy), await tokensOf(strategy)];
  expect(first).toEqual(again);
  expect(new Set(first).size).toBe(2);
});

test.each([
  ['new Date().getTime()'],
  ['Date.now()'],
  ['performance.now()'],
  ["require('node:perf_hooks').performance.now()"],
  ['Number(process.hrtime.bigint() / 1_000_000n)'],
])('%s follows the time of the schedule', async (now) => {
  const strategy = ofFile(
    'clock.js',
    `exports.createLock = ({ redis }) => ({
       async acquire(resource) {
         const begun = ${now};
         await new Promise((resolve) => setTimeout(resolve, 5000));
         await redis.set(resource, 'after-' + (${now} - begun));
         return resource;
       },
       release: (resource) => redis.del(resource),
     });`,
  );
  const s = await Schedule.begin(world(), strategy, { processes: ['p1'] });
  const { history } = await s.end();
  const texts = history.events.flatMap((event) => (event.type === 'step' ? event.text : []));
  expect(texts).toContainEqual(expect.stringMatching(/^SET .* after-5000$/));
});

test('a date of a realm is a Date, and takes arguments', () => {
  const file = join(folder, 'date.js');
  writeFileSync(
    file,
    'exports.dates = [new Date(0), new Date()]; exports.isDate = (d) => d instanceof Date;',
  );
  const { dates, isDate } = new Realm(1).load(file) as { dates: Date[]; isDate: (date: Date) => boolean };
  expect([dates[0]?.getTime(), dates.every((date) => date instanceof Date), isDate(new Date())]).toEqual([
    0,
    true,
    true,
  ]);
});

test('a module may declare the name of a global', () => {
  const file = join(folder, 'declares.js');
  writeFileSync(
    file,
    "const crypto = require('crypto'); const { setTimeout } = require('timers/promises'); exports.both = [crypto, setTimeout];",
  );
  expect((new Realm(1).load(file) as { both: unknown[] }).both).toHaveLength(2);
});

test('an ES module is evaluated for each process', () => {
  const own = join(folder, 'es');
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{"type":"module"}');
  writeFileSync(join(own, 'state.js'), 'export let calls = 0; export const call = () => ++calls;');
  writeFileSync(
    join(own, 'index.js'),
    "import { call } from './state.js'; export const look = () => [call(), import.meta.url.startsWith('file:')];",
  );
  const [first, second] = [1, 2].map(
    (pid) => new Realm(pid).load(join(own, 'index.js')) as { look: () => unknown },
  );
  first?.look();
  expect([first?.look(), second?.look()]).toEqual([
    [2, true],
    [1, true],
  ]);
});

/** A lock that renews itself by a chain of timers, as redlock does. */
const RENEWING = `
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs, waitMs }) {
      const until = Date.now() + waitMs;
      while ((await redis.set(resource, 'x', 'PX', leaseMs, 'NX')) !== 'OK') {
        if (Date.now() >= until) return undefined;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const handle = { resource };
      const renew = () => {
        handle.timer = setTimeout(async () => {
          await redis.pexpire(resource, leaseMs);
          renew();
        }, leaseMs / 2);
      };
      renew();
      return handle;
    },
    release: ({ resource, timer }) => {
      clearTimeout(timer);
      return redis.del(resource);
    },
  });`;

test('a renewal by timers runs while the request works: slow work keeps the lock', async () => {
  const strategy = ofFile('renewing.js', RENEWING);
  const tally = await explore(world(), planOf(strategy, cellOf('slow work')), { max: 60 });
  expect([...tally.kinds.keys()]).toEqual([]);
});

test('an unhandled error of a timer ends its process, as in Node', async () => {
  const strategy = ofFile(
    'throws.js',
    `exports.createLock = ({ redis }) => ({
       async acquire(resource, { leaseMs }) {
         setTimeout(() => { throw new Error('lost'); }, 1000);
         await new Promise((resolve) => setTimeout(resolve, 5000));
         return (await redis.set(resource, 'x', 'PX', leaseMs, 'NX')) === 'OK' ? resource : undefined;
       },
       release: (resource) => redis.del(resource),
     });`,
  );
  const s = await Schedule.begin(world(), strategy, { processes: ['p1'] });
  const { history } = await s.end();
  expect(s.A.outcome).toBe('DIED');
  expect(history.events).toContainEqual(
    expect.objectContaining({ type: 'fault', text: 'p1 ends with an unhandled error: lost' }),
  );
});

test('a callback is called when its step is answered, and receives the error of a fault', async () => {
  const strategy = ofFile(
    'callbacks.js',
    `exports.createLock = ({ redis }) => ({
       acquire: (resource, { leaseMs }) => new Promise((resolve, reject) => {
         redis.set(resource, 'x', 'PX', leaseMs, 'NX', (error, reply) => error ? reject(error) : resolve(reply === 'OK' && resource));
       }),
       release: (resource) => redis.duplicate().del(resource),
     });`,
  );
  const tally = await explore(world(), planOf(strategy, cellOf('kill')), { max: 60 });
  expect(tally.schedules).toBeGreaterThan(5);
  const { setup } = planOf(strategy, cellOf('two processes'));
  const [first, again] = [
    await play(world(), setup, [], { strict: false }),
    await play(world(), setup, [], { strict: false }),
  ];
  expect(normalize(again.history)).toBe(normalize(first.history));
  expect(first.history.events).toContainEqual(expect.objectContaining({ type: 'step', verb: 'DEL' }));
});

import { cellOf, explore, planOf } from '#lab/explore';
import { findStrategy, type Strategy } from '#lab/strategy';
import { kindsOf } from '../harness/kinds';
import { openOwnFiles } from './own-files';

/** Schedules at most. */
const MAX = 60;

const { world, ofFile, tallyOf } = openOwnFiles(__filename);

/** What a lock does with an error of its server. */
const AFTER_AN_ERROR = {
  'goes on without the lock': 'return handle;',
  'passes the error on': 'throw error;',
  'tries again': '',
};
type AfterAnError = keyof typeof AFTER_AN_ERROR;

/** One attempt of each kind of lock; `taken` must be true when it has the lock. */
const ATTEMPTS = {
  'a key': `taken = (await redis.set(resource, 'taken', 'PX', leaseMs, 'NX')) === 'OK';`,
  'a hash that a script writes': `taken = (await redis.eval(
      "if redis.call('exists', KEYS[1]) == 1 then return 0 end redis.call('hset', KEYS[1], ARGV[1], 1) return redis.call('pexpire', KEYS[1], ARGV[2])",
      1, resource, 'owner', leaseMs)) === 1;`,
  'an entry of a sorted set': `taken = (await redis.zadd(resource, 'NX', Date.now(), 'entry')) === 1;`,
  'a row': `await sql.query('CREATE TABLE IF NOT EXISTS own_rows (name VARCHAR(100) PRIMARY KEY, owner VARCHAR(40))');
      const inserted = await sql.query('INSERT IGNORE INTO own_rows VALUES (?, ?)', [resource, 'owner']);
      taken = inserted.affectedRows === 1;`,
  'a named lock': `const [{ ok }] = await session.query('SELECT GET_LOCK(?, 0) AS ok', [resource]);
      taken = Number(ok) === 1;`,
};
type Kind = keyof typeof ATTEMPTS;

const RELEASES: Readonly<Record<Kind, string>> = {
  'a key': 'await redis.del(resource);',
  'a hash that a script writes': 'await redis.del(resource);',
  'an entry of a sorted set': `await redis.zrem(resource, 'entry');`,
  'a row': `await sql.query('DELETE FROM own_rows WHERE name = ?', [resource]);`,
  'a named lock': `await session.query('SELECT RELEASE_LOCK(?)', [resource]);`,
};

let files = 0;

const lock = (kind: Kind, afterAnError: AfterAnError, isInTime = true): Strategy =>
  ofFile(
    `acquires-${++files}.js`,
    `exports.createLock = ({ redis, sql }) => {
       const session = sql.createQueryRunner();
       return {
         async acquire(resource, { leaseMs, waitMs }) {
           const handle = { resource };
           const giveUpAt = Date.now() + waitMs;
           for (;;) {
             let taken = false;
             try {
               ${ATTEMPTS[kind]}
             } catch (error) {
               ${AFTER_AN_ERROR[afterAnError]}
             }
             if (taken) return handle;
             if (${isInTime ? 'Date.now() >= giveUpAt' : 'false'}) {
               await session.release();
               return undefined;
             }
             await new Promise((resolve) => setTimeout(resolve, 100));
           }
         },
         async release({ resource }) {
           ${RELEASES[kind]}
           await session.release();
         },
       };
     };`,
  );

describe.each(Object.keys(ATTEMPTS) as Kind[])('%s', (kind) => {
  test.each([
    ['goes on without the lock', ['fail-open']],
    ['passes the error on', []],
    ['tries again', []],
  ] as const)('a lock that %s after a failed acquire shows %j', async (afterAnError, shown) => {
    const found = await tallyOf(lock(kind, afterAnError), 'failed acquire', MAX);
    expect(found.fired.get('error')).toBeGreaterThan(0);
    expect(kindsOf(found).filter((one) => one === 'fail-open')).toEqual(shown);
  });
});

test('a unit is sold twice by a lock that goes on after a failed acquire', async () => {
  const found = await tallyOf(lock('a key', 'goes on without the lock'), 'failed acquire', MAX);
  expect(kindsOf(found)).toEqual(expect.arrayContaining(['fail-open', 'lost-update']));
});

/** After a failed acquire it takes another key, which does not exclude the holder of the first one. */
const TAKES_ANOTHER_KEY = `
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs }) {
      const take = (key) => redis.set(key, 'taken', 'PX', leaseMs, 'NX');
      const reply = await take(resource).catch(() => take('other:' + resource));
      return reply === 'OK' ? { resource } : undefined;
    },
    release: ({ resource }) => redis.del(resource, 'other:' + resource),
  });`;

test('a lock that takes another key after a failed acquire fails open where a sale is lost', async () => {
  const found = await tallyOf(ofFile('another-key.js', TAKES_ANOTHER_KEY), 'failed acquire', MAX);
  expect(kindsOf(found)).toEqual(expect.arrayContaining(['fail-open', 'lost-update']));
});

/** The lock ends with its lease only. */
const RELEASE_THROWS = `
  exports.createLock = ({ redis }) => ({
    acquire: async (resource, { leaseMs }) =>
      (await redis.set(resource, 'taken', 'PX', leaseMs, 'NX')) === 'OK' ? { resource } : undefined,
    release: () => redis.eval('if redis.call(', 0),
  });`;

test('a release that fails without a fault keeps the lock from the next buyer', async () => {
  const found = await tallyOf(ofFile('release-throws.js', RELEASE_THROWS), 'one try each', MAX);
  expect(kindsOf(found)).toEqual(['starved']);
});

/** It gives up after as many attempts as the waiting time has pauses. */
const COUNTS = `
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs, waitMs }) {
      for (let left = waitMs / 50; left > 0; left--) {
        if ((await redis.set(resource, 'taken', 'PX', leaseMs, 'NX')) === 'OK') return { resource };
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    release: ({ resource }) => redis.del(resource),
  });`;

/** It waits by the clock of its tools, and never gives up. */
const NEVER_GIVES_UP = `
  exports.strategy = {
    async apply(change, { redis, balances, clock, options: { leaseMs } }) {
      const key = 'lock:' + change.balance;
      while ((await redis.set(key, 'taken', 'PX', leaseMs, 'NX')) !== 'OK') await clock.sleep(100, 'WAIT', key);
      try {
        const before = await balances.read(change.balance);
        if (before < 1) throw Object.assign(new Error('sold out'), { code: 'STOCK.SOLD_OUT' });
        return await balances.write(change, before, before + change.delta);
      } finally {
        await redis.del(key);
      }
    },
  };`;

test.each([
  ['looks at the time, gives up in time', () => lock('a key', 'passes the error on'), []],
  ['counts its attempts, gives up in time', () => ofFile('counts.js', COUNTS), []],
  ['tries again for ever, does not', () => lock('a key', 'passes the error on', false), ['late']],
  ['waits by the clock of its tools, does not', () => ofFile('never-gives-up.js', NEVER_GIVES_UP), ['late']],
] as const)('a lock that %s', async (_, make, shown) => {
  const found = await tallyOf(make(), 'the waiter gives up', MAX);
  expect(found.fired.get('kill')).toBeGreaterThan(0);
  expect(kindsOf(found).filter((kind) => kind === 'late')).toEqual(shown);
});

test.each(['lapse', 'pause'])('a waiter is not late because of the fault %s', async (fault) => {
  const plan = planOf(findStrategy('token-lua'), cellOf('the waiter gives up'));
  const found = await explore(world(), { ...plan, budget: { [fault]: 1 } }, { max: MAX });
  expect(found.fired.get(fault)).toBeGreaterThan(0);
  expect(kindsOf(found)).not.toContain('late');
});

import type { Strategy } from '#lab/strategy';
import { openOwnFiles } from './own-files';

const { ofFile, promiseOf } = openOwnFiles(__filename);

const LIMITS = { max: 300, enough: 1 };

let files = 0;
/** Each lock has a file of its own: files are compiled once. */
const load = (text: string): Strategy => ofFile(`lock-${++files}.js`, text);

/** A loop that tries until `waitMs` is over. `tries` is the body of a function that returns a handle or undefined. */
const polling = (
  before: string,
  tries: string,
  release: string,
  pause = 'setTimeout(resolve, 100)',
): string => `
  const { randomUUID, randomInt } = require('node:crypto');
  ${before}
  exports.createLock = ({ redis, sql }) => ({
    async acquire(resource, { leaseMs, waitMs }) {
      const giveUpAt = Date.now() + waitMs;
      const tries = async () => { ${tries} };
      for (;;) {
        const handle = await tries();
        if (handle !== undefined) return handle;
        if (Date.now() >= giveUpAt) return undefined;
        await new Promise((resolve) => ${pause});
      }
    },
    async release({ resource, owner, leave = () => undefined }) { ${release} },
  });`;

const ROW_WITH_FLAG = polling(
  'let ready;',
  `ready ??= sql.query('CREATE TABLE IF NOT EXISTS flagged (name VARCHAR(190) PRIMARY KEY, locked TINYINT NOT NULL DEFAULT 0)');
   await ready;
   await sql.query('INSERT IGNORE INTO flagged (name, locked) VALUES (?, 0)', [resource]);
   const { affectedRows } = await sql.query('UPDATE flagged SET locked = 1 WHERE name = ? AND locked = 0', [resource]);
   return affectedRows === 1 ? { resource } : undefined;`,
  `await sql.query('UPDATE flagged SET locked = 0 WHERE name = ?', [resource]);`,
);

/** A row with an owner and a lease; a release leaves the lease. The table is created when it is missing. */
const leased = (table: string, key: string, ownerType: string, owner: string, where: string): string =>
  polling(
    '',
    `const run = async (text, values) => {
       try {
         return await sql.query(text, values);
       } catch (error) {
         if (error.code !== 'ER_NO_SUCH_TABLE') throw error;
         await sql.query('CREATE TABLE IF NOT EXISTS ${table} (${key}, owner ${ownerType} NULL, expires_at BIGINT NOT NULL)');
         return sql.query(text, values);
       }
     };
     const owner = ${owner};
     const now = Date.now();
     const made = await run('INSERT IGNORE INTO ${table} (name, owner, expires_at) VALUES (?, ?, ?)', [resource, owner, now + leaseMs]);
     if (made.affectedRows === 1) return { resource, owner };
     const { affectedRows } = await run(
       'UPDATE ${table} SET owner = ?, expires_at = ? WHERE name = ? AND (owner IS NULL OR expires_at < ?)', [owner, now + leaseMs, resource, now]);
     return affectedRows === 1 ? { resource, owner } : undefined;`,
    `await sql.query('UPDATE ${table} SET owner = NULL WHERE name = ? ${where}', [resource, owner]);`,
  );
const NAME = 'name VARCHAR(190) PRIMARY KEY';
const OWN_ONLY = 'AND owner = ?';

/** One owner for all requests of a process, and a mutex: at most one of them has the lock. */
const OWNER_OF_A_PROCESS = polling(
  'const owner = randomUUID(); let tail = Promise.resolve();',
  `let leave;
   const before = tail;
   tail = new Promise((resolve) => { leave = resolve; });
   await before;
   if ((await redis.set(resource, owner, 'PX', leaseMs, 'NX')) === 'OK') return { resource, owner, leave };
   leave();`,
  `await redis.eval("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0", 1, resource, owner);
   leave();`,
);

const NAMED = (release: string): string => `
  exports.createLock = ({ sql }) => ({
    async acquire(resource, { waitMs }) {
      const session = sql.createQueryRunner();
      const [{ got }] = await session.query('SELECT GET_LOCK(?, ?) AS got', [resource, waitMs / 1000]);
      if (Number(got) === 1) return { resource, session };
      await session.release();
      return undefined;
    },
    async release({ resource, session }) { ${release} },
  });`;
const RELEASES_NAMED = "await session.query('SELECT RELEASE_LOCK(?)', [resource]); await session.release();";

const GIVES_UP_BY_SIGNAL = `
  const { setTimeout: sleep } = require('node:timers/promises');
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs, waitMs }) {
      const signal = AbortSignal.timeout(waitMs);
      for (;;) {
        if ((await redis.set(resource, 'taken', 'PX', leaseMs, 'NX')) === 'OK') return { resource };
        try { await sleep(100, undefined, { signal }); } catch { return undefined; }
      }
    },
    release: ({ resource }) => redis.del(resource),
  });`;

test.each([
  ['a row with a flag', 'survivesDeadHolder', 'broken', ROW_WITH_FLAG],
  [
    'a row whose release does not compare the owner',
    'releasesOnlyItsOwn',
    'broken',
    leased('unchecked', NAME, 'VARCHAR(64)', 'randomUUID()', ''),
  ],
  [
    'a row whose owner is a number',
    'losersTouchNothing',
    'kept',
    leased('numbered', NAME, 'INT', 'randomInt(1, 1e6)', OWN_ONLY),
  ],
  [
    'a row with a number as its key and a unique name',
    'exactAcrossProcesses',
    'kept',
    leased(
      'entities',
      'id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(190) UNIQUE',
      'VARCHAR(64)',
      'randomUUID()',
      OWN_ONLY,
    ),
  ],
  ['one owner for all requests of a process', 'releasesOnlyItsOwn', 'kept', OWNER_OF_A_PROCESS],
  ['a named lock, whose session may be lost', 'survivesLapse', 'broken', NAMED(RELEASES_NAMED)],
  ['a named lock', 'releasesAfterSale', 'kept', NAMED(RELEASES_NAMED)],
  ['a named lock whose session is not released', 'releasesAfterSale', 'broken', NAMED('')],
  ['a wait that ends by AbortSignal.timeout', 'givesUpInTime', 'kept', GIVES_UP_BY_SIGNAL],
] as const)('%s: %s is %s', async (_, promise, state, text) => {
  expect(await promiseOf(load(text), promise, LIMITS)).toMatchObject({ state });
});

const tries =
  "return (await redis.set(resource, '1', 'PX', leaseMs, 'NX')) === 'OK' ? { resource } : undefined;";

test.each([
  [
    'a poll without a pause',
    polling('', tries, 'await redis.del(resource);', 'resolve()'),
    /without a pause/,
  ],
  [
    'a poll with a pause of 1 ms',
    polling('', tries, 'await redis.del(resource);', 'setTimeout(resolve, 1)'),
    /without a pause/,
  ],
  [
    'an absolute expiry',
    polling('', tries.replace("'PX', leaseMs", "'PXAT', Date.now() + leaseMs"), 'await redis.del(resource);'),
    /set has an absolute time/,
  ],
  [
    'an absolute expiry in a command of its own',
    polling(
      '',
      `const taken = await redis.setnx(resource, '1');
       if (taken === 1) await redis.pexpireat(resource, Date.now() + leaseMs);
       return taken === 1 ? { resource } : undefined;`,
      'await redis.del(resource);',
    ),
    /pexpireat has an absolute time/,
  ],
])('%s is refused, and the message says why', async (_, text, why) => {
  await expect(promiseOf(load(text), 'exactAcrossProcesses', LIMITS)).rejects.toThrow(why);
});

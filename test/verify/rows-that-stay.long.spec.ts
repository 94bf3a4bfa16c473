import type { Strategy } from '#lab/strategy';
import { kindsOf } from '../harness/kinds';
import { openOwnFiles } from './own-files';

/** Schedules at most. */
const MAX = 100;

const { ofFile, tallyOf } = openOwnFiles(__filename);

/** Takes a free row, or with `takesOver` one whose time is over. `release`: what is set when the lock is released. */
const inRow = (
  table: string,
  { release, takesOver = true }: { readonly release: string; readonly takesOver?: boolean },
): Strategy =>
  ofFile(
    `${table}.js`,
    `let count = 0;
     exports.createLock = ({ sql }) => ({
       async acquire(resource, { leaseMs, waitMs }) {
         await sql.query('CREATE TABLE IF NOT EXISTS ${table} (name VARCHAR(100) PRIMARY KEY, owner VARCHAR(40), until_ms BIGINT NOT NULL)');
         await sql.query('INSERT IGNORE INTO ${table} VALUES (?, NULL, 0)', [resource]);
         const owner = process.pid + '-' + ++count;
         const giveUpAt = Date.now() + waitMs;
         for (;;) {
           const taken = await sql.query(
             'UPDATE ${table} SET owner = ?, until_ms = ? WHERE name = ? AND (${takesOver ? 'until_ms < ?' : 'until_ms = 0 OR ? < 0'})',
             [owner, Date.now() + leaseMs, resource, Date.now()],
           );
           if (taken.affectedRows === 1) return { resource, owner };
           if (Date.now() >= giveUpAt) return undefined;
           await new Promise((resolve) => setTimeout(resolve, 100));
         }
       },
       release: ({ resource, owner }) =>
         sql.query('UPDATE ${table} SET ${release} WHERE name = ? AND owner = ?', [resource, owner]),
     });`,
  );

/** Holds the row of the lock in a transaction, and asks again while another session holds it. */
const inTransaction = (): Strategy =>
  ofFile(
    'skip-locked.js',
    `exports.createLock = ({ sql }) => ({
       async acquire(resource, { waitMs }) {
         await sql.query('CREATE TABLE IF NOT EXISTS skip_locked (name VARCHAR(100) PRIMARY KEY)');
         await sql.query('INSERT IGNORE INTO skip_locked VALUES (?)', [resource]);
         const giveUpAt = Date.now() + waitMs;
         const runner = sql.createQueryRunner();
         for (;;) {
           await runner.startTransaction();
           const rows = await runner.query('SELECT name FROM skip_locked WHERE name = ? FOR UPDATE SKIP LOCKED', [resource]);
           if (rows.length === 1) return runner;
           await runner.rollbackTransaction();
           if (Date.now() >= giveUpAt) {
             await runner.release();
             return undefined;
           }
           await new Promise((resolve) => setTimeout(resolve, 50));
         }
       },
       async release(runner) {
         await runner.commitTransaction();
         await runner.release();
       },
     });`,
  );

test.each([
  ['without an owner and with the time 0', 'freed_rows', 'owner = NULL, until_ms = 0'],
  ['with the time 0', 'timeless_rows', 'until_ms = 0'],
])('a row %s is free: nothing is left of the lock after its release', async (_, table, release) => {
  const found = await tallyOf(inRow(table, { release }), 'two processes', MAX);
  expect(found.schedules).toBeGreaterThan(1);
  expect(kindsOf(found)).toEqual([]);
});

test('a row that stays is a lease: it ends when the schedule says so, and two holders sell the unit twice', async () => {
  const lapsed = await tallyOf(inRow('leased_rows', { release: 'owner = NULL, until_ms = 0' }), 'lapse', MAX);
  expect(lapsed.fired.get('lapse')).toBeGreaterThan(0);
  expect(kindsOf(lapsed)).toEqual(expect.arrayContaining(['overlap', 'oversold']));
});

test('a row that no other request takes over stays with its dead holder', async () => {
  const rows = inRow('kept_rows', { release: 'owner = NULL, until_ms = 0', takesOver: false });
  const killed = await tallyOf(rows, 'kill', MAX);
  expect(killed.fired.get('kill')).toBeGreaterThan(0);
  expect(kindsOf(killed)).toContain('starved');
});

test.each(['two processes', 'kill'])(
  'a row that is locked in a transaction is free after it, and its connection too (%s)',
  async (cell) => {
    const found = await tallyOf(inTransaction(), cell, MAX);
    expect(found.schedules).toBeGreaterThan(1);
    expect(kindsOf(found)).toEqual([]);
  },
);

test('a request that takes more connections than its pool has is reported, and the search ends', async () => {
  const greedy = ofFile(
    'greedy.js',
    `exports.createLock = ({ redis, sql }) => ({
       async acquire(resource) {
         for (let i = 0; i < 4; i++) await sql.createQueryRunner().query('SELECT 1');
         await redis.set(resource, 'taken', 'PX', 10000, 'NX');
         return { resource };
       },
       release: ({ resource }) => redis.del(resource),
     });`,
  );
  await expect(tallyOf(greedy, 'two processes', MAX)).rejects.toThrow('a free connection of its pool');
});

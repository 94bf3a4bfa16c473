import type { Strategy } from '#lab/strategy';
import { kindsOf } from '../harness/kinds';
import { openOwnFiles } from './own-files';

/** Schedules at most. */
const MAX = 200;

const { ofFile, tallyOf } = openOwnFiles(__filename);

/**
 * A lock that is a row of a table that the lab does not know. `expiry`: the declaration of a further column. `takesOver`: it
 * deletes rows whose time is over.
 */
const inTable = (table: string, expiry: string, takesOver = false): Strategy =>
  ofFile(
    `${table}.js`,
    `let count = 0;
     exports.createLock = ({ sql }) => ({
       async acquire(resource, { leaseMs, waitMs }) {
         await sql.query('CREATE TABLE IF NOT EXISTS ${table} (name VARCHAR(100) PRIMARY KEY, owner VARCHAR(40)${expiry})');
         const owner = process.pid + '-' + ++count;
         const values = [resource, owner${expiry === '' ? '' : ', Date.now() + leaseMs'}];
         const until = Date.now() + waitMs;
         for (;;) {
           ${takesOver ? `await sql.query('DELETE FROM ${table} WHERE name = ? AND expires_at < ?', [resource, Date.now()]);` : ''}
           try {
             await sql.query('INSERT INTO ${table} VALUES (?)', [values]);
             return { resource, owner };
           } catch (error) {
             if (error.driverError?.code !== 'ER_DUP_ENTRY') throw error;
           }
           if (Date.now() >= until) return undefined;
           await new Promise((resolve) => setTimeout(resolve, 100));
         }
       },
       release: ({ resource, owner }) => sql.query('DELETE FROM ${table} WHERE name = ? AND owner = ?', [resource, owner]),
     });`,
  );

test('a row with an expiry is a lease: it ends when the schedule says so, and two holders sell the unit twice', async () => {
  const leased = inTable('leased_locks', ', expires_at BIGINT', true);
  expect(kindsOf(await tallyOf(leased, 'two processes', MAX))).toEqual([]);
  const lapsed = await tallyOf(leased, 'lapse', MAX);
  expect(lapsed.fired.get('lapse')).toBeGreaterThan(0);
  expect(kindsOf(lapsed)).toEqual(expect.arrayContaining(['overlap', 'oversold']));
});

test('a row without an expiry stays when its holder dies: the next buyer waits without end', async () => {
  const killed = await tallyOf(inTable('endless_locks', ''), 'kill', MAX);
  expect(kindsOf(killed)).toEqual(expect.arrayContaining(['stuck']));
});

test('a lease that no code reads does not free the lock of a dead holder: the next buyer waits in vain', async () => {
  const { kinds, fired } = await tallyOf(inTable('unread_leases', ', expires_at BIGINT'), 'kill', 60);
  expect(fired.get('kill')).toBeGreaterThan(0);
  expect([...kinds.keys()]).toContain('starved');
});

test.each(['DATETIME(3)', 'TIMESTAMP(3) NULL'])(
  'a lease in a column of the type %s ends as well',
  async (type) => {
    const table = `leased_until_${type.slice(0, 4).toLowerCase()}`;
    const leased = ofFile(
      `${table}.js`,
      `let count = 0;
     const at = (ms) => new Date(ms).toISOString().slice(0, 23).replace('T', ' ');
     exports.createLock = ({ sql }) => ({
       async acquire(resource, { leaseMs, waitMs }) {
         await sql.query('CREATE TABLE IF NOT EXISTS ${table} (name VARCHAR(100) PRIMARY KEY, owner VARCHAR(40), expires_at ${type})');
         const owner = process.pid + '-' + ++count;
         const until = Date.now() + waitMs;
         for (;;) {
           const values = [owner, at(Date.now() + leaseMs)];
           const taken = await sql.query('UPDATE ${table} SET owner = ?, expires_at = ? WHERE name = ? AND expires_at < ?', [...values, resource, at(Date.now())]);
           if (taken.affectedRows === 1) return { resource, owner };
           const added = await sql.query('INSERT IGNORE INTO ${table} VALUES (?)', [[resource, ...values]]);
           if (added.affectedRows === 1) return { resource, owner };
           if (Date.now() >= until) return undefined;
           await new Promise((resolve) => setTimeout(resolve, 100));
         }
       },
       release: ({ resource, owner }) => sql.query('DELETE FROM ${table} WHERE name = ? AND owner = ?', [resource, owner]),
     });`,
    );
    expect(kindsOf(await tallyOf(leased, 'kill', 60))).toEqual([]);
    expect(kindsOf(await tallyOf(leased, 'lapse', 60))).toEqual(
      expect.arrayContaining(['overlap', 'oversold']),
    );
  },
);

test('the rows of one schedule are gone when the next one begins', async () => {
  const { partial, harms } = await tallyOf(inTable('cleared_locks', ''), 'two processes', MAX);
  expect([partial, harms]).toEqual([false, { 'data-wrong': 0, unavailable: 0, 'lock-broken': 0 }]);
});

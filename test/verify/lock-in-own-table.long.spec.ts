import { cellOf, explore, planOf, type Tally } from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

/** A lock that is a row of a table that the lab does not know. `expiry`: the declaration of a further column. */
const inTable = (table: string, expiry: string): Strategy =>
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

const tallyOf = (strategy: Strategy, cell: string): Promise<Tally> =>
  explore(world(), planOf(strategy, cellOf(cell)), { max: 200 });

const kindsOf = ({ kinds }: Tally): string[] => [...kinds.keys()].sort();

test('a row with an expiry is a lease: it ends when the schedule says so, and two holders sell the unit twice', async () => {
  const leased = inTable('leased_locks', ', expires_at BIGINT');
  expect(kindsOf(await tallyOf(leased, 'two processes'))).toEqual([]);
  const lapsed = await tallyOf(leased, 'lapse');
  expect(lapsed.fired.get('lapse')).toBeGreaterThan(0);
  expect(kindsOf(lapsed)).toEqual(expect.arrayContaining(['overlap', 'oversold']));
});

test('a row without an expiry stays when its holder dies: the next buyer waits without end', async () => {
  const killed = await tallyOf(inTable('endless_locks', ''), 'kill');
  expect(kindsOf(killed)).toEqual(expect.arrayContaining(['stuck']));
});

test('the rows of one schedule are gone when the next one begins', async () => {
  const { partial, harms } = await tallyOf(inTable('cleared_locks', ''), 'two processes');
  expect([partial, harms]).toEqual([false, { 'data-wrong': 0, unavailable: 0, 'lock-broken': 0 }]);
});

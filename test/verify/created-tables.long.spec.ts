import { cellOf, explore, planOf, type Tally } from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import { kindsOf } from '../harness/kinds';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

/** A lock whose requests create its table. `acquire` and `release`: statements with the names of table and resource. */
const creating = (table: string, acquire: readonly string[], release: readonly string[]): Strategy =>
  ofFile(
    `${table}.js`,
    `const run = async (sql, texts, resource) => {
       for (const text of texts) await sql.query(text.replaceAll('$RESOURCE', resource).replaceAll('$TABLE', '${table}'));
     };
     exports.createLock = ({ sql }) => ({
       async acquire(resource) {
         await sql.query('CREATE TABLE IF NOT EXISTS ${table} (name VARCHAR(100) PRIMARY KEY)');
         try {
           await run(sql, ${JSON.stringify(acquire)}, resource);
           return resource;
         } catch (error) {
           if (!/^ER_(DUP_ENTRY|NO_SUCH_TABLE)$/.test(error.driverError?.code)) throw error;
         }
       },
       release: (resource) => run(sql, ${JSON.stringify(release)}, resource),
     });`,
  );

/** Schedules without the reduction: more than there are with it. */
const MAX_UNREDUCED = 1500;

const INSERT = `INSERT INTO $TABLE VALUES ('$RESOURCE')`;
const DELETE = `DELETE FROM $TABLE WHERE name = '$RESOURCE'`;

const tallyOf = (lock: Strategy, reduce: boolean, max?: number): Promise<Tally> =>
  explore(world(), { ...planOf(lock, cellOf('two processes')), reduce }, max === undefined ? {} : { max });

test.each([
  ['keeps its table', creating('kept_table', [INSERT], [DELETE])],
  ['takes over any row', creating('taken_table', [INSERT.replace('INSERT', 'REPLACE')], [DELETE])],
  ['removes its table', creating('dropped_table', [INSERT], ['DROP TABLE IF EXISTS $TABLE'])],
  [
    'locks its table',
    ofFile(
      'locked_table.js',
      `exports.createLock = ({ sql }) => ({
         async acquire() {
           await sql.query('CREATE TABLE IF NOT EXISTS locked_table (name VARCHAR(100) PRIMARY KEY)');
           const runner = sql.createQueryRunner();
           await runner.query('LOCK TABLES locked_table WRITE');
           return runner;
         },
         async release(runner) {
           await runner.query('UNLOCK TABLES');
           await runner.release();
         },
       });`,
    ),
  ],
] as const)(
  'a lock that %s, and creates it in each request: no kind of violation is left out',
  async (_, lock) => {
    const reduced = await tallyOf(lock, true);
    const unreduced = await tallyOf(lock, false, MAX_UNREDUCED);
    expect(reduced.partial).toBe(false);
    expect(kindsOf(reduced)).toEqual(expect.arrayContaining(kindsOf(unreduced)));
    expect(reduced.schedules).toBeLessThan(unreduced.schedules);
  },
);

test('CREATE TABLE IF NOT EXISTS of a table that exists is no step whose order matters', async () => {
  const { schedules } = await tallyOf(creating('existing_table', [INSERT], [DELETE]), true);
  const withoutCreate = ofFile(
    'no_create.js',
    `
     exports.createLock = ({ sql }) => ({
       async acquire(resource) {
         try {
           await sql.query("INSERT INTO existing_table VALUES (?)", [resource]);
           return resource;
         } catch (error) {
           if (error.driverError?.code !== 'ER_DUP_ENTRY') throw error;
         }
       },
       release: (resource) => sql.query('DELETE FROM existing_table WHERE name = ?', [resource]),
     });`,
  );
  expect(schedules).toBe((await tallyOf(withoutCreate, true)).schedules);
});

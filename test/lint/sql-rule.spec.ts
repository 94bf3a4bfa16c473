import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const lint = (lines: readonly string[]): readonly (readonly string[])[] =>
  JSON.parse(
    execFileSync(process.execPath, [resolve('test/lint/sql-rule.mjs'), ...lines], { encoding: 'utf8' }),
  ) as string[][];

const REFUSED = [
  'db.query(`SELECT * FROM balance WHERE id = ${sku}`);',
  "db.query(`SELECT * FROM balance WHERE id = '${request.sku}'`);",
  'this.sql.execute(`DELETE FROM movement WHERE id IN (${ids.join()})`);',
  'db.query("SELECT * FROM balance WHERE id = " + sku);',
  'db.query<Row[]>(`SELECT ${WHOLE_AMOUNT} FROM balance WHERE id = ${find(sku)}`, []);',
];
const ALLOWED = [
  "db.query('SELECT * FROM balance WHERE id = ?', [sku]);",
  'db.query(`SELECT ${WHOLE_AMOUNT} FROM balance WHERE id = ?`, [`${sku}`]);',
  "db.query(`INSERT INTO t VALUES ${lines.map(() => '(?, ?)').join(', ')}`, values);",
  'db.query(`CREATE DATABASE \\`${schema}\\``);',
  'logger.warn(`no product ${sku}`);',
];

test('lint rejects a value in the text of a statement, and accepts constants and placeholders', () => {
  const found = lint([...REFUSED, ...ALLOWED]);
  expect(found.slice(0, REFUSED.length)).toEqual(REFUSED.map(() => ['no-restricted-syntax']));
  expect(found.slice(REFUSED.length)).toEqual(ALLOWED.map(() => []));
});

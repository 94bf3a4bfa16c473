import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const lint = (lines: readonly string[]): readonly (readonly string[])[] =>
  JSON.parse(
    execFileSync(process.execPath, [resolve('test/lint/lint-lines.mjs'), ...lines], { encoding: 'utf8' }),
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

const MATCHES_TEXT = [
  "if (verdict.because.includes('never happened')) skip();",
  "const isBad = sentence.startsWith('two holders');",
  'const wasLost = /lost/.test(violation.sentence);',
  "const isKnown = cell.headline === 'SAFE';",
];
const MATCHES_DATA = [
  "if (reason?.code === 'fault-never-fired') skip();",
  'const isMissing = cell.sentence === undefined;',
  "const isWrite = text.startsWith('UPDATE');",
];

test('lint rejects code that matches a text for people, and accepts codes', () => {
  const found = lint([...MATCHES_TEXT, ...MATCHES_DATA]);
  expect(found.slice(0, MATCHES_TEXT.length)).toEqual(MATCHES_TEXT.map(() => ['no-restricted-syntax']));
  expect(found.slice(MATCHES_TEXT.length)).toEqual(MATCHES_DATA.map(() => []));
});

import type { Connection, RowDataPacket } from 'mysql2/promise';
import { onlyReads } from './sql-statements';

const READ_SEQUENCES = `SELECT TABLE_NAME AS name FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'SEQUENCE'`;
const READ_VIEWS = `SELECT TABLE_NAME AS name, VIEW_DEFINITION AS text FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?`;

/**
 * The tables of a schema whose plain SELECT does more than read committed rows: a sequence shows the numbers that open transactions
 * have taken, a view may call a function that writes or use such a table. A test for statements that name one; undefined: there is
 * none.
 */
export async function tablesThatShowMore(admin: Connection, schema: string): Promise<RegExp | undefined> {
  const [sequences] = await admin.query<RowDataPacket[]>(READ_SEQUENCES, [schema]);
  const [rows] = await admin.query<RowDataPacket[]>(READ_VIEWS, [schema]);
  let views = rows as { name: string; text: string }[];
  const names = sequences.map(({ name }) => String(name));
  for (;;) {
    const test = namesOneOf(names);
    const more = views.filter(({ text }) => text === '' || !onlyReads({ text }) || test?.test(text) === true); // '': not allowed to see it
    if (more.length === 0) return test;
    names.push(...more.map(({ name }) => name));
    views = views.filter((view) => !more.includes(view));
  }
}

const namesOneOf = (names: readonly string[]): RegExp | undefined =>
  names.length === 0
    ? undefined
    : new RegExp(
        `(?<![\\w$])(?:${names.map((name) => name.replace(/[^\w]/g, '\\$&')).join('|')})(?![\\w$])`,
        'i',
      );

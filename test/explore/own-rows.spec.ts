import {
  forgetSession,
  hasFoundRow,
  nothingHeld,
  rowLockedBy,
  transactionOf,
  updateHoldings,
} from '#lab/explore';
import type { Step } from '#lab/step';

const LOCKS = 'SELECT id FROM balance WHERE id = "item" FOR UPDATE';
const statement = (text: string, connection = 1): Step => ({
  actor: 'A',
  kind: 'sql',
  verb: text.split(' ')[0] ?? '',
  text,
  connection,
});

/** The rows that the transaction of session 1 has locked after these statements, each of which has found a row. */
function rowsAfter(...steps: readonly Step[]): readonly string[] | undefined {
  const holdings = nothingHeld();
  for (const step of steps) updateHoldings(holdings, step, [{ id: 'item' }]);
  const rows = transactionOf(holdings, { connection: 1 });
  return rows && [...rows];
}

test('a transaction keeps the rows that it has locked until it ends', () => {
  const begin = statement('START TRANSACTION');
  expect(rowsAfter(statement(LOCKS))).toBeUndefined();
  expect(rowsAfter(begin, statement(LOCKS))).toEqual(['balance "item"']);
  expect(rowsAfter(begin, statement(LOCKS), statement('COMMIT'))).toBeUndefined();
  expect(rowsAfter(begin, statement(LOCKS), begin)).toEqual([]);
});

test('the rows of another session, of a failed statement and of a lost session are not its own', () => {
  const begin = statement('START TRANSACTION');
  expect(rowsAfter(begin, statement(LOCKS, 2))).toEqual([]);
  const holdings = nothingHeld();
  updateHoldings(holdings, begin, []);
  updateHoldings(holdings, statement(LOCKS), undefined);
  expect(transactionOf(holdings, { connection: 1 })).toEqual(new Set());
  forgetSession(holdings, 1);
  expect(transactionOf(holdings, { connection: 1 })).toBeUndefined();
});

test.each([
  ['SELECT amount, segments FROM balance WHERE id = "item" FOR UPDATE', 'balance "item"'],
  ['UPDATE balance SET amount = 0 WHERE id = "item" AND segments = 0', 'balance "item"'],
  ['INSERT IGNORE INTO decision (ticket, balance) VALUES ("t1", "item")', 'decision "t1"'],
  ['UPDATE decision SET outcome = "STOCK.SOLD_OUT" WHERE ticket = "t1"', 'decision "t1"'],
  ['SELECT amount FROM balance WHERE id = "item"', undefined],
  ['SELECT amount FROM balance FOR UPDATE', undefined],
  ['SELECT amount FROM balance WHERE amount = "item" FOR UPDATE', undefined],
  ['SELECT id FROM movement WHERE id = "item" FOR UPDATE', undefined],
  ['UPDATE balance SET amount = 0 WHERE id = "item" OR amount = 1', undefined],
  ['UPDATE balance SET amount = (SELECT 1) WHERE id = "item"', undefined],
  ['UPDATE balance SET amount = 0 WHERE id = "item" || amount = 1', undefined],
  ['UPDATE balance SET amount = 0 WHERE id = "item" AND EXISTS (SELECT 1 FROM balance_lock)', undefined],
  ['UPDATE balance SET amount = 0', undefined],
])('the only row that a statement locks: %s', (text, row) => {
  expect(rowLockedBy({ text })).toBe(row);
});

test.each([
  [[{ amount: 1 }], true],
  [[], false],
  [{ affectedRows: 1 }, true],
  [{ affectedRows: 0 }, false],
  [undefined, false],
])('a reply says whether the row was there: %j', (reply, found) => {
  expect(hasFoundRow(reply)).toBe(found);
});

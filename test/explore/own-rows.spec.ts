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
  const transaction = transactionOf(holdings, { connection: 1 });
  return transaction && [...transaction.ownRows];
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
  expect(transactionOf(holdings, { connection: 1 })?.ownRows).toEqual(new Set());
  forgetSession(holdings, 1);
  expect(transactionOf(holdings, { connection: 1 })).toBeUndefined();
});

/** What the transaction may have locked after statements with these replies; undefined: the statement failed. */
function lockedAfter(...statements: readonly [text: string, reply: unknown][]): {
  readonly locked: readonly string[];
  readonly hasWritten: boolean;
} {
  const holdings = nothingHeld();
  updateHoldings(holdings, statement('START TRANSACTION'), []);
  for (const [text, reply] of statements) updateHoldings(holdings, statement(text), reply);
  const transaction = transactionOf(holdings, { connection: 1 });
  if (transaction === undefined) throw new Error('no transaction is open');
  return { locked: [...transaction.locked], hasWritten: transaction.hasWritten };
}

const CLAIM = 'INSERT IGNORE INTO decision (ticket, balance) VALUES ("t1", "item")';

test('a transaction that only locks and reads has written nothing', () => {
  expect(lockedAfter()).toEqual({ locked: [], hasWritten: false });
  expect(lockedAfter([LOCKS, [{ id: 'item' }]])).toEqual({ locked: ['balance "item"'], hasWritten: false });
  expect(lockedAfter([CLAIM, { affectedRows: 0 }])).toEqual({ locked: ['decision "t1"'], hasWritten: false });
});

test('a transaction has written what a statement changed', () => {
  expect(lockedAfter([CLAIM, { affectedRows: 1 }])).toEqual({ locked: ['decision "t1"'], hasWritten: true });
  const movement =
    'INSERT INTO movement (balance, delta, value_before, value_after, request, strategy) VALUES ("item", -1, 1, 0, "A", "")';
  expect(lockedAfter([movement, { affectedRows: 1 }])).toEqual({ locked: [], hasWritten: true });
});

test('after a statement on an unknown row, or one that failed, a transaction may have locked anything', () => {
  const unknown = 'SELECT id FROM balance FOR UPDATE';
  expect(lockedAfter([unknown, []])).toEqual({ locked: ['*'], hasWritten: false });
  expect(lockedAfter([LOCKS, undefined])).toEqual({ locked: ['*'], hasWritten: true });
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

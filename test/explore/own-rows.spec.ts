import { hasFoundRow, rowLockedBy } from '#lab/explore';

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

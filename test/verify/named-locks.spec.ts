import { namedLocksAsSent } from '#lab/step';

test.each([
  ['SELECT GET_LOCK(?, ?) AS ok', "SELECT GET_LOCK(CONCAT('a/', ?), LEAST((?) * 1000, 1000000)) AS ok"],
  ["DO release_lock('it''s, \\'(')", "DO release_lock(CONCAT('a/', 'it''s, \\'('))"],
  [
    'SELECT GET_LOCK(SHA1(CONCAT(DATABASE(), \'x\')), 1), IS_USED_LOCK("b")',
    "SELECT GET_LOCK(CONCAT('a/', SHA1(CONCAT(DATABASE(), 'x'))), LEAST((1) * 1000, 1000000)), IS_USED_LOCK(CONCAT('a/', \"b\"))",
  ],
  ['SELECT 1', 'SELECT 1'],
  ['SELECT GET_LOCK(', 'SELECT GET_LOCK('],
])('%s is sent as %s', (sql, sent) => {
  expect(namedLocksAsSent(sql, 'a/')).toBe(sent);
});

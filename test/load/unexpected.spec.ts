import { UnexpectedAnswerCollector, unexpectedLines, unexpectedText } from '#load-tests/run';

const DETAIL = 'no answer from the inventory: the order may or may not have been bought';
const unknown = JSON.stringify({ status: 502, code: 'OUTCOME_UNKNOWN', detail: DETAIL });
const LOG = `order-1: ${JSON.stringify({
  level: 'warn',
  replica: 'order-1',
  request: 'a-1',
  status: 502,
  code: 'OUTCOME_UNKNOWN',
  cause: [{ message: DETAIL }, { message: 'other side closed', code: 'UND_ERR_SOCKET' }],
  msg: DETAIL,
})}`;

const collected = (hasFaults = false): ReturnType<UnexpectedAnswerCollector['result']> => {
  const collector = new UnexpectedAnswerCollector(hasFaults);
  collector.note('a-0', 201, '{}');
  collector.note('a-3', 500, '<html>');
  for (const request of ['a-1', 'a-2']) collector.note(request, 502, unknown);
  return collector.result((request) => (request === 'a-1' ? [LOG] : []));
};

test('unexpected answers are counted by status and code, the most frequent first', () => {
  const { count, of, groups } = collected();
  expect({ count, of }).toEqual({ count: 3, of: 4 });
  expect(groups.map(({ example: { request }, ...group }) => ({ ...group, request }))).toEqual([
    { status: 502, code: 'OUTCOME_UNKNOWN', count: 2, request: 'a-1' },
    { status: 500, code: 'HTTP 500', count: 1, request: 'a-3' },
  ]);
});

test('one sentence has the number of unexpected answers, in English and in Chinese', () => {
  expect(unexpectedText(collected())).toBe(
    '3 of 4 answers were unexpected: 502 OUTCOME_UNKNOWN ×2, HTTP 500 ×1',
  );
  expect(unexpectedText(collected(true))).toBe('1 of 4 answers was unexpected: HTTP 500');
  expect(unexpectedText(collected(), 'zh')).toBe(
    '4 个应答中有 3 个不该出现：502 OUTCOME_UNKNOWN ×2，HTTP 500 ×1',
  );
  expect(unexpectedText(new UnexpectedAnswerCollector(false).result(() => []))).toBeUndefined();
});

test('a cause that the answer has said is left out of the log line', () => {
  const collector = new UnexpectedAnswerCollector(false);
  collector.note('a-1', 502, unknown);
  const line = JSON.stringify({ level: 'warn', cause: [{ message: DETAIL }], msg: DETAIL });
  expect(unexpectedLines(collector.result(() => [`order-1: ${line}`]))[1]).toBe(
    '  order-1: {"level":"warn"}',
  );
});

test('each group is printed with one example, and no text of it is repeated by its log line', () => {
  expect(unexpectedLines(collected())).toEqual([
    `502 OUTCOME_UNKNOWN for request a-1: ${DETAIL}`,
    '  order-1: {"level":"warn","cause":[{"message":"other side closed","code":"UND_ERR_SOCKET"}]}',
    'HTTP 500 for request a-3: <html>',
    '  no line in the logs of the replicas',
  ]);
});

import { count } from '#lab/step';

test('the count one is singular, every other count is plural', () => {
  expect([0, 1, 2, 1000].map((n) => count(n, 'unit'))).toEqual([
    '0 units',
    '1 unit',
    '2 units',
    '1,000 units',
  ]);
});

test('an irregular plural can be given', () => {
  expect([1, 2].map((n) => count(n, 'reply', 'replies'))).toEqual(['1 reply', '2 replies']);
});

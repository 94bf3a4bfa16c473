import { count } from '#lab/step';

test('one thing is singular, every other number of things is plural', () => {
  expect([0, 1, 2, 1000].map((n) => count(n, 'unit'))).toEqual([
    '0 units',
    '1 unit',
    '2 units',
    '1,000 units',
  ]);
});

test('a plural that is not made with an s is given', () => {
  expect([1, 2].map((n) => count(n, 'reply', 'replies'))).toEqual(['1 reply', '2 replies']);
});

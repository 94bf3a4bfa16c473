import { median, percentile } from '#load-tests/figures';

const hundred = Array.from({ length: 100 }, (_, i) => i + 1);

test.each([
  [0, 1],
  [0.5, 50],
  [0.99, 99],
  [1, 100],
])('the percentile %d of 1 to 100 is %d', (p, value) => {
  expect(percentile(hundred, p)).toBe(value);
});

test('every percentile of one value is that value', () => {
  expect([0, 0.5, 0.99, 1].map((p) => percentile([7], p))).toEqual([7, 7, 7, 7]);
});

test('nothing has no percentile and no median', () => {
  expect([percentile([], 0.5), percentile([], 1), median([])]).toEqual([NaN, NaN, NaN]);
});

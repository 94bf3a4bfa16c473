import { addLimiters, findLimiter, limitOf, LIMITERS, limitSchema, UnknownLimiter } from '#lab/limit';

const names = LIMITERS.map(({ name }) => name);

test('the catalogue has no name twice, and each limiter names a better one that exists', () => {
  expect(new Set(names).size).toBe(names.length);
  for (const { next } of LIMITERS) if (next.limiter !== undefined) expect(names).toContain(next.limiter);
  expect(() => {
    addLimiters(LIMITERS.slice(0, 1));
  }).toThrow('two limiters are named');
});

test('three limiters are exact', () => {
  const exact = LIMITERS.filter(({ expected }) => Object.keys(expected).length === 0);
  expect(exact.map(({ name }) => name)).toEqual(['sliding-log', 'token-bucket', 'leaky-bucket']);
});

test('an unknown name is refused with the list of names', () => {
  expect(() => findLimiter('nope')).toThrow(UnknownLimiter);
  expect(() => findLimiter('nope')).toThrow(names.join(', '));
});

test('a burst is chosen by the limiter when the request chooses none', () => {
  const { max, windowMs } = limitSchema.parse({});
  expect(limitOf(findLimiter('token-bucket'), { max, windowMs }).burst).toBe(max);
  expect(limitOf(findLimiter('leaky-bucket'), { max, windowMs }).burst).toBe(0);
  expect(limitOf(findLimiter('fixed-window'), { max, windowMs, burst: 7 }).burst).toBe(0);
  expect(() => limitOf(findLimiter('token-bucket'), { max, windowMs, burst: 0 })).toThrow('at least 1');
});

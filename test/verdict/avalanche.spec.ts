import type { Effect, EffectRules } from '#lab/guard';
import { judgeEffects } from '#lab/verdict';

const RULES: EffectRules = {
  effect: 'expiry of page',
  second: 'repeated-work',
  isPromised: false,
  expiringPerSecond: 0.2,
};

/** A page that expires at each of these times. */
const pages = (times: readonly number[]): Effect[] =>
  times.map((expiresAt, i) => ({ key: `page ${i}`, request: 'r1', expiresAt }));
const every = (ms: number): number[] => Array.from({ length: 100 }, (_, i) => 1e12 + i * ms);
const kinds = (times: readonly number[]) => judgeEffects(RULES, pages(times), []).map(({ kind }) => kind);

test('pages that expire at one time are an avalanche, which names their number', () => {
  expect(judgeEffects(RULES, pages(every(0)), [])).toMatchObject([
    {
      kind: 'avalanche',
      sentence: '100 of 100 pages expire within one second; at most 20 may',
      requests: ['r1'],
    },
  ]);
});

test('20 of 100 pages may expire within one second, and 21 may not, in whatever order they were stored', () => {
  expect(kinds(every(50))).toEqual([]);
  expect(kinds(every(49))).toEqual(['avalanche']);
  expect(kinds(every(49).toReversed())).toEqual(['avalanche']);
});

test('a second begins with any page, not with the clock', () => {
  const [first = 0] = every(0);
  const around = [
    ...Array.from({ length: 11 }, () => first + 950),
    ...Array.from({ length: 11 }, () => first + 1050),
  ];
  const far = Array.from({ length: 78 }, (_, i) => first + 10_000 * (i + 1));
  expect(kinds([...around, ...far])).toEqual(['avalanche']);
});

test('without pages there is none', () => {
  expect(kinds([])).toEqual([]);
});

import { SeededRandom, seeded } from '#lab/random';

describe('random numbers of a seed', () => {
  test('are the same in every version: a seed in a report repeats its run', () => {
    const next = seeded(7);
    expect([next(), next(), next()]).toEqual([0.011704753153026104, 0.06195825757458806, 0.97690763277933]);
    const random = new SeededRandom(7);
    expect([random.between(1, 100), random.pick(['a', 'b', 'c']), random.shuffle([1, 2, 3, 4, 5])]).toEqual([
      2,
      'a',
      [4, 5, 3, 2, 1],
    ]);
    const item = SeededRandom.forItem(7, 3);
    expect([item.below(1000), item.below(1000), item.oneIn(2)]).toEqual([846, 267, false]);
  });

  test('of an item do not depend on the items before it', () => {
    const first = SeededRandom.forItem(7, 0);
    const later = SeededRandom.forItem(7, 1).next();
    first.next();
    expect(SeededRandom.forItem(7, 1).next()).toBe(later);
    expect(SeededRandom.forItem(7, 2).next()).not.toBe(later);
  });

  test('keep their bounds', () => {
    const random = new SeededRandom(1);
    const drawn = Array.from({ length: 1000 }, () => random.between(3, 5));
    expect(new Set(drawn)).toEqual(new Set([3, 4, 5]));
    expect(() => random.pick([])).toThrow('at least one value');
  });
});

import { CATALOGUE, findStrategy } from '#lab/strategy';
import { ALL_KINDS, eligible, planSoak } from '#load-tests/soak';

const wish = { seed: 7, minutes: 10, components: ['redlock', 'replica'] } as const;

describe('the plan of a soak', () => {
  test('is the same for the same seed, and another one for another', () => {
    expect(planSoak(wish)).toEqual(planSoak(wish));
    expect(planSoak({ ...wish, seed: 8 }).minutes).not.toEqual(planSoak(wish).minutes);
  });

  test('has more of each kind of fault than must fire, of all kinds that its servers allow', () => {
    const { minutes, kinds, least } = planSoak(wish);
    expect(least).toBe(5);
    expect(kinds).toEqual(ALL_KINDS);
    const faults = minutes.flatMap((minute) => minute.faults);
    for (const { name } of kinds)
      expect(faults.filter(({ kind }) => kind === name).length).toBeGreaterThan(least);
    const without = planSoak({ ...wish, components: [] });
    expect(without.kinds.map(({ name }) => name)).not.toContain('voter-lost');
  });

  test('of less than a minute has all kinds at once, but those of servers on demand', () => {
    const { minutes, kinds, least } = planSoak({ ...wish, minutes: 0.5 });
    expect([minutes.length, minutes[0]?.seconds, least]).toEqual([1, 30, 1]);
    expect(kinds).toEqual(ALL_KINDS.filter(({ component }) => component === undefined));
    expect(new Set(minutes[0]?.faults.map(({ kind }) => kind)).size).toBe(kinds.length);
  });

  test('keeps its faults inside of the minute, in order of time', () => {
    for (const { faults, seconds } of planSoak(wish).minutes) {
      const times = faults.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(Math.max(...times)).toBeLessThan(900 * seconds);
    }
  });

  test('slows only those down who hold a lock while they work', () => {
    for (const { balances, faults } of planSoak(wish).minutes)
      for (const { carried } of faults.filter(({ kind }) => kind === 'delay'))
        expect(findStrategy(balances[carried?.balance ?? -1]?.strategy ?? '').options).toContain('waitMs');
  });

  test('leaves kills to the first and the last minute, so that some replicas grow old', () => {
    const killed = planSoak(wish).minutes.filter(({ faults }) => faults.some(({ kind }) => kind === 'kill'));
    expect(killed.map(({ number }) => number)).toEqual([1, 10]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'sells by strategies that promise to bear its faults: seed %i',
    (seed) => {
      for (const { balances, kinds, faults } of planSoak({ ...wish, seed }).minutes) {
        expect(balances.length).toBeGreaterThan(2);
        const needs = kinds.flatMap((kind) => kind.needs);
        for (const { strategy } of balances)
          expect(findStrategy(strategy).lacks.filter((lack) => needs.includes(lack))).toEqual([]);
        for (const { component } of kinds.filter((kind) => kind.component !== undefined))
          expect(balances.map(({ strategy }) => findStrategy(strategy).needs ?? []).flat()).toContain(
            component,
          );
        for (const { carried } of faults) expect(carried?.balance ?? 0).toBeLessThan(balances.length);
      }
    },
  );
});

describe('who may be sold by', () => {
  const names = (kinds: typeof ALL_KINDS): string[] =>
    eligible(kinds, ['redlock', 'replica', 'zookeeper', 'etcd']).map(({ name }) => name);
  const kindsOf = (...wanted: string[]) => ALL_KINDS.filter(({ name }) => wanted.includes(name));

  test('under nothing at all: nobody who oversells or gets stuck in an ordinary run', () => {
    for (const name of names([])) {
      const { expected } = findStrategy(name);
      expect(expected.replicas?.must ?? []).toEqual([]);
      expect(expected['holder-killed']?.must ?? []).not.toContain('stuck');
    }
    expect(names([])).not.toContain('none');
    expect(names([]).length).toBeLessThan(CATALOGUE.length);
  });

  test('when leases end: fenced, not a lock that relies on its lease', () => {
    const bear = names(kindsOf('pause', 'redis-killed'));
    expect(bear).toEqual(expect.arrayContaining(['fenced', 'for-update', 'optimistic']));
    for (const name of ['expiring', 'token-lua', 'watchdog', 'redlock', 'etcd'])
      expect(bear).not.toContain(name);
  });

  test('when work is slow: a watchdog too', () => {
    expect(names(kindsOf('delay'))).toEqual(expect.arrayContaining(['watchdog', 'fenced']));
    expect(names(kindsOf('delay'))).not.toContain('token-lua');
  });

  test('when a voter is lost: redlock, not the lock that needs all of them', () => {
    expect(names(kindsOf('voter-lost'))).toContain('redlock');
    expect(names(kindsOf('voter-lost'))).not.toContain('multi-server');
  });
});

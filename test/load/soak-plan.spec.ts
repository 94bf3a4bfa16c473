import { CATALOGUE, findStrategy } from '#lab/strategy';
import { ALL_KINDS, eligible, planSoak } from '#load-tests/soak';

const input = { seed: 7, minutes: 10, components: ['redlock', 'replica'] } as const;

describe('the plan of a soak', () => {
  test('is the same for the same seed, and differs for another', () => {
    expect(planSoak(input)).toEqual(planSoak(input));
    expect(planSoak({ ...input, seed: 8 }).minutes).not.toEqual(planSoak(input).minutes);
  });

  test('has more faults of each kind than must fire, for all kinds that its servers allow', () => {
    const { minutes, kinds, least } = planSoak(input);
    expect(least).toBe(5);
    expect(kinds).toEqual(ALL_KINDS);
    const faults = minutes.flatMap((minute) => minute.faults);
    for (const { name } of kinds)
      expect(faults.filter(({ kind }) => kind === name).length).toBeGreaterThan(least);
    const without = planSoak({ ...input, components: [] });
    expect(without.kinds.map(({ name }) => name)).not.toContain('voter-lost');
  });

  test('of less than a minute has all kinds at once, except those of optional servers', () => {
    const { minutes, kinds, least } = planSoak({ ...input, minutes: 0.5 });
    expect([minutes.length, minutes[0]?.seconds, least]).toEqual([1, 30, 1]);
    expect(kinds).toEqual(ALL_KINDS.filter(({ component }) => component === undefined));
    expect(new Set(minutes[0]?.faults.map(({ kind }) => kind)).size).toBe(kinds.length);
  });

  test('keeps its faults inside the minute, in order of time', () => {
    for (const { faults, seconds } of planSoak(input).minutes) {
      const times = faults.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(Math.max(...times)).toBeLessThan(900 * seconds);
    }
  });

  test('delays only requests that hold a lock while they work', () => {
    for (const { balances, faults } of planSoak(input).minutes)
      for (const { carried } of faults.filter(({ kind }) => kind === 'delay'))
        expect(findStrategy(balances[carried?.balance ?? -1]?.strategy ?? '').options).toContain('waitMs');
  });

  test('kills in the first and the last minute only, so that some replicas run for long', () => {
    const killed = planSoak(input).minutes.filter(({ faults }) => faults.some(({ kind }) => kind === 'kill'));
    expect(killed.map(({ number }) => number)).toEqual([1, 10]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('uses strategies whose promises cover its faults: seed %i', (seed) => {
    for (const { balances, kinds, faults } of planSoak({ ...input, seed }).minutes) {
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
  });
});

describe('eligible strategies', () => {
  const names = (kinds: typeof ALL_KINDS): string[] =>
    eligible(kinds, ['redlock', 'replica', 'zookeeper', 'etcd']).map(({ name }) => name);
  const kindsOf = (...selected: string[]) => ALL_KINDS.filter(({ name }) => selected.includes(name));

  test('without faults: none that oversells or gets stuck in an ordinary run', () => {
    for (const name of names([])) {
      const { expected } = findStrategy(name);
      expect(expected.replicas?.must ?? []).toEqual([]);
      expect(expected['holder-killed']?.must ?? []).not.toContain('stuck');
    }
    expect(names([])).not.toContain('none');
    expect(names([]).length).toBeLessThan(CATALOGUE.length);
  });

  test('when leases end: fenced, but no lock that relies on its lease', () => {
    const tolerant = names(kindsOf('pause', 'redis-killed'));
    expect(tolerant).toEqual(expect.arrayContaining(['fenced', 'for-update', 'optimistic']));
    for (const name of ['expiring', 'token-lua', 'watchdog', 'redlock', 'etcd'])
      expect(tolerant).not.toContain(name);
  });

  test('when work is slow: a watchdog too', () => {
    expect(names(kindsOf('delay'))).toEqual(expect.arrayContaining(['watchdog', 'fenced']));
    expect(names(kindsOf('delay'))).not.toContain('token-lua');
  });

  test('when a voter is lost: redlock, but not the lock that needs all voters', () => {
    expect(names(kindsOf('voter-lost'))).toContain('redlock');
    expect(names(kindsOf('voter-lost'))).not.toContain('multi-server');
  });
});

import { COMPONENT_NAMES } from '#lab/step';
import { CATALOGUE, findStrategy } from '#lab/strategy';
import type { ClientAnswer } from '#lab/verdict';
import { ALL_KINDS, eligible, planSoak } from '#load-tests/soak';
import { confirmedEntries } from '../../load-tests/soak/gather';

const input = { seed: 7, minutes: 10, components: COMPONENT_NAMES };

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
    const names = without.kinds.map(({ name }) => name);
    for (const lost of ['voter-lost', 'zookeeper-killed', 'etcd-killed']) expect(names).not.toContain(lost);
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

  test('debits one account in each minute, and faults of its requests name its app', () => {
    for (const { balances, faults } of planSoak(input).minutes) {
      expect(balances.filter(({ kind }) => kind === 'account').length).toBe(1);
      for (const { carried, kind } of faults) {
        if (carried === undefined) continue;
        const isAccount = balances[carried.balance]?.kind === 'account';
        expect(carried.header.startsWith('account:')).toBe(isAccount);
        if (kind === 'order-killed') expect(isAccount).toBe(false);
      }
    }
  });

  test.each(['zookeeper', 'etcd'])('sells with a lock in %s while that server is killed', (server) => {
    const minutes = planSoak(input).minutes.filter(({ faults }) =>
      faults.some(({ kind }) => kind === `${server}-killed`),
    );
    expect(minutes.length).toBeGreaterThan(0);
    for (const { balances } of minutes)
      expect(balances.flatMap(({ strategy }) => findStrategy(strategy).needs ?? [])).toContain(server);
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
    eligible(kinds, COMPONENT_NAMES).map(({ name }) => name);
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

describe('the confirmed entries of an account', () => {
  const answer = (request: string, code: string): ClientAnswer => ({
    request,
    code,
    status: 0,
    quantity: 1,
    replica: null,
    at: 0,
    tookMs: 0,
  });
  const confirmed = (answers: readonly ClientAnswer[], ...movements: string[]): string[] =>
    confirmedEntries(
      answers,
      movements.map((request) => ({ request })),
    ).map(({ request }) => request);

  test('are those that were answered as entered, also without a movement', () => {
    expect(confirmed([answer('a', 'APPLIED')])).toEqual(['a']);
  });

  test('are those with an open outcome that have a movement', () => {
    const answers = [answer('a', 'OUTCOME_UNKNOWN'), answer('b', 'NO_ANSWER')];
    expect(confirmed(answers, 'a')).toEqual(['a']);
  });

  test('are not those that were refused: their movement contradicts the answer', () => {
    expect(confirmed([answer('a', 'ACCOUNT.INSUFFICIENT_FUNDS')], 'a')).toEqual([]);
  });
});

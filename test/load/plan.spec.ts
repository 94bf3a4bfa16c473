import {
  balancesOf,
  circumstanceOf,
  completePlan,
  expectationOf,
  hostOf,
  strategiesOf,
  type PlanInput,
} from '#load-tests/run';
import { CATALOGUE, NoCarts, UnknownStrategy } from '#lab/strategy';

const CROSSED = [
  ['a', 'b'],
  ['b', 'a'],
];
const plan = (input: Partial<PlanInput> = {}) =>
  completePlan({ strategy: 'multi-unsorted', carts: CROSSED, ...input });

describe('the circumstance of a run of carts', () => {
  test.each([
    [
      'the same order everywhere',
      [
        ['a', 'b', 'c'],
        ['a', 'c'],
      ],
      'replicas',
    ],
    [
      'nothing in common',
      [
        ['a', 'b'],
        ['d', 'c'],
      ],
      'replicas',
    ],
    [
      'one thing in common',
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      'replicas',
    ],
    ['opposite order', CROSSED, 'crossed-carts'],
    [
      'opposite order with others in between',
      [
        ['a', 'x', 'b'],
        ['b', 'y', 'a'],
      ],
      'crossed-carts',
    ],
  ])('%s', (_, carts, circumstance) => {
    expect(circumstanceOf(plan({ carts }))).toBe(circumstance);
  });

  test('whose buyers wait longer than a lease is crossed-carts-outwait-leases, and may oversell', () => {
    const waiting = plan({ options: { waitMs: 3000, leaseMs: 1000 } });
    expect(circumstanceOf(waiting)).toBe('crossed-carts-outwait-leases');
    expect(expectationOf(waiting).must).toContain('oversold');
    expect(expectationOf(plan()).must).toEqual(['dead-lock']);
  });

  test('covers every product in a cart', () => {
    expect(
      balancesOf(
        plan({
          carts: [
            ['a', 'b'],
            ['b', 'c'],
          ],
        }),
      ),
    ).toEqual(['a', 'b', 'c']);
    expect(balancesOf(completePlan({ strategy: 'none' }))).toEqual(['load']);
  });

  test('requires a strategy that sells carts', () => {
    expect(() => plan({ strategy: 'none' })).toThrow(NoCarts);
  });
});

/** Its lock ends, but later than a lease when the work was long. */
const ENDS_LATE = 'watchdog-shared-flag';

test.each(
  CATALOGUE.filter(({ name, lacks }) => lacks.includes('survivesFailedRelease') && name !== ENDS_LATE),
)('$name, whose failed release blocks later requests, may be stuck after it', ({ name }) => {
  const failing = completePlan({
    strategy: name,
    fault: { header: 'before(DEL)=error', on: { kind: 'first' } },
  });
  expect(circumstanceOf(failing)).toBe('release-fails');
  const { must, may } = expectationOf(failing);
  expect([...must, ...may]).toContain('stuck');
});

describe('one slow buyer among many', () => {
  const slow = (on: 'nth' | 'every') =>
    completePlan({
      strategy: 'expiring',
      options: { leaseMs: 500 },
      fault: { header: 'before(UPDATE)=delay(900)', on: { kind: on, n: 3 } },
    });

  test('outlives its lease, and may or may not delete a foreign lock', () => {
    expect(circumstanceOf(slow('nth'))).toBe('work-outlives-lease');
    expect(expectationOf(slow('nth'))).toEqual({
      must: ['lost-update', 'overlap'],
      may: ['oversold', 'foreign-release'],
    });
  });

  test('has a different expectation from only slow buyers', () => {
    expect(expectationOf(slow('every')).must).toContain('foreign-release');
  });
});

describe('a run on an account', () => {
  const entries = (amountMinor: number, more: Partial<PlanInput> = {}) =>
    completePlan({ strategy: 'none', amountMinor, ...more });

  test('uses the account app, and counts amounts without their sign', () => {
    expect([hostOf(entries(-3)), entries(-3).quantity, hostOf(plan())]).toEqual(['account', 3, 'inventory']);
  });

  test('of credits loses updates and overdraws nothing', () => {
    expect(expectationOf(entries(1, { stock: 0 })).must).toEqual(['lost-update']);
  });

  test('of debits overdraws when the balance is too small', () => {
    expect(expectationOf(entries(-1, { stock: 5, requests: 10 })).must).toEqual(['oversold', 'lost-update']);
    expect(expectationOf(entries(-1, { stock: 10, requests: 10 })).must).toEqual(['lost-update']);
  });
});

describe('two systems on one stock', () => {
  const mixed = (strategy: string, beside: string) =>
    completePlan({ strategy, mixedWith: { strategy: beside } });

  test('may oversell and lose updates, although each of them is exact alone', () => {
    for (const strategy of ['token-lua', 'conditional-update'])
      expect(expectationOf(completePlan({ strategy }))).toEqual({ must: [], may: [] });
    const { must, may } = expectationOf(mixed('token-lua', 'conditional-update'));
    expect(must).toEqual([]);
    expect(may).toEqual(expect.arrayContaining(['oversold', 'lost-update']));
  });

  test('need the servers of both', () => {
    const needs = strategiesOf(mixed('zookeeper', 'etcd')).flatMap((strategy) => strategy.needs ?? []);
    expect(needs).toEqual(['zookeeper', 'etcd']);
  });

  test('must both exist, and both sell carts', () => {
    expect(() => mixed('none', 'hope')).toThrow(UnknownStrategy);
    expect(() =>
      completePlan({ strategy: 'multi', carts: CROSSED, mixedWith: { strategy: 'none' } }),
    ).toThrow(NoCarts);
  });
});

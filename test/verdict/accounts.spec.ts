import { HistoryBuilder } from './history-builder';

/** A credit is a sale of a negative quantity: from `before`, or from the actual balance. */
const credit = (units = 1): { units: number } => ({ units: -units });
/** Two concurrent requests in the account app. */
const contended = (initial = 0): HistoryBuilder =>
  new HistoryBuilder(initial)
    .arrives('a', 'account-1', 'account')
    .arrives('b', 'account-2', 'account')
    .ends('a', 'APPLIED', 'account-1', 'account')
    .ends('b', 'APPLIED', 'account-2', 'account');

describe('credits', () => {
  test('that are all in the balance after concurrent requests are safe', () => {
    const history = contended().sells('a', 0, credit()).sells('b', 1, credit(2));
    expect(history.judge()).toMatchObject({
      verdict: 'safe',
      lostUpdates: 0,
      oversold: 0,
      sold: -3,
      finalStock: 3,
    });
  });

  test('of which one is missing are a lost update: the sum of the deltas minus the growth of the balance', () => {
    const history = contended(5).sells('a', 5, credit(4)).sells('b', 5, credit(3)); // 8 is left of 12
    const verdict = history.judge({}, { must: ['lost-update'], may: [] });
    expect(verdict).toMatchObject({ violations: ['lost-update'], lostUpdates: 4, asExpected: true });
    expect(verdict.because[0]).toContain('4 updates lost: entered, and not in the balance');
  });

  test('that read the same balance are named', () => {
    const { duplicates, because } = contended().sells('a', 0, credit()).sells('b', 0, credit()).judge();
    expect(duplicates).toMatchObject([{ value: 1, sales: [{ request: 'a' }, { request: 'b' }] }]);
    expect(because[0]).toContain('1 was the new balance of a on');
  });

  test('in the balance without a movement are a violation', () => {
    const history = contended().sells('a', 0, credit()).sells('b', 1, credit());
    const { violations, because } = history.judge({ finalStock: 7 });
    expect([violations, because]).toEqual([['undersold'], ['5 units in the balance without an entry']]);
  });

  test('without a confirmation, and confirmations without a credit, are found', () => {
    const history = contended()
      .sells('a', 0, { ...credit(), order: false })
      .sells('b', 1, credit());
    expect(history.judge()).toMatchObject({ violations: ['orphan'], orphans: ['a'] });
    expect(
      contended()
        .sells('a', 0, credit())
        .judge({ orders: [{ request: 'a' }, { request: 'b' }] }),
    ).toMatchObject({
      violations: ['orphan'],
      phantoms: ['b'],
    });
  });

  test('prove nothing when the requests did not overlap, or overlapped in the order app only', () => {
    const sequential = new HistoryBuilder(0)
      .arrives('a', 'order-1', 'order')
      .arrives('b', 'order-2', 'order');
    const ended = sequential
      .ends('a', 'APPLIED', 'order-1', 'order')
      .ends('b', 'APPLIED', 'order-2', 'order');
    expect(ended.sells('a', 0, credit()).sells('b', 1, credit()).judge().verdict).toBe('unknown');
  });
});

describe('debits', () => {
  test('are debited, not sold', () => {
    const verdict = contended(5).sells('a', 5).sells('b', 4, { units: 2 }).judge();
    expect(verdict).toMatchObject({
      kind: 'account',
      headline: 'SAFE: 3 of 5 debited',
      because: ['each entry is in the balance, under contention'],
    });
  });

  test('that read the same balance are lost updates, and beyond it overdraw the account', () => {
    const lost = contended(1).sells('a', 1).sells('b', 1).judge({ finalStock: 0 });
    expect(lost.violations).toEqual(['oversold', 'lost-update']);
    expect(lost.headline).toBe(
      'DATA WRONG: 2 of 1 debited; 1 unit overdrawn; 1 update lost: debited, and still in the balance; ' +
        '0 was the new balance of a on inventory-1 and of b on inventory-1',
    );
  });

  test('no text of their verdict speaks of sales, stock or buyers', () => {
    const refused = contended(5)
      .sells('a', 5, { order: false })
      .answered('c', 'ACCOUNT.INSUFFICIENT_FUNDS', 2);
    const texts = [
      refused.judge({ orders: [{ request: 'x' }] }),
      contended(5).judge(),
      contended(5).judge({ down: 'redis' }),
      contended(5).sells('a').answered('c', 'DEPENDENCY.DOWN', 1).judge(),
      contended(5).sells('a').judge({ finalStock: 1 }),
    ].flatMap(({ headline, because }) => [headline, ...because]);
    expect(texts.filter((text) => /\b(sold|sales?|stock|buyers?|orders?)\b/.test(text))).toEqual([]);
  });
});

describe('credits and debits on one account', () => {
  test('may reach the same balance twice', () => {
    const history = contended(1).sells('a', 1, credit()).sells('b', 2).sells('c', 1, credit());
    expect(history.judge()).toMatchObject({ verdict: 'safe', duplicates: [], lostUpdates: 0 });
  });

  test('of which one overwrites the other are a lost update, whichever it is', () => {
    expect(contended(5).sells('a', 5, credit(3)).sells('b', 5).judge()).toMatchObject({
      violations: ['lost-update'],
      lostUpdates: 3,
    });
    expect(contended(5).sells('a', 5).sells('b', 5, credit(3)).judge()).toMatchObject({ lostUpdates: 1 });
  });

  test('whose losses and gains cancel out are lost updates all the same', () => {
    // a credit of 2 and a debit of 2 are overwritten: the sums agree
    const history = contended(5)
      .sells('a', 5, credit(2))
      .sells('b', 5, { units: 2 })
      .sells('c', 5, credit(1))
      .sells('d', 6);
    expect(history.judge({ finalStock: 4 }).lostUpdates).toBeGreaterThan(0);
    const even = contended(5)
      .sells('a', 5, credit(2))
      .sells('b', 5, { units: 2 })
      .sells('c', 5, credit(2))
      .sells('d', 5, { units: 2 });
    const { violations, lostUpdates, initial, sold, finalStock } = even.judge({ finalStock: 5 });
    expect(initial - sold).toBe(finalStock);
    expect([violations, lostUpdates > 0]).toEqual([['lost-update'], true]);
  });

  test('refused although the account has enough are undersold', () => {
    const history = contended(5)
      .sells('a', 5, credit())
      .sells('b', 6)
      .answered('c', 'ACCOUNT.INSUFFICIENT_FUNDS', 5);
    expect(history.judge().violations).toEqual(['undersold']);
    const poor = contended(5)
      .sells('a', 5, credit())
      .sells('b', 6)
      .answered('c', 'ACCOUNT.INSUFFICIENT_FUNDS', 6);
    expect(poor.judge().verdict).toBe('safe');
  });

  test('answered before others were sent precede them', () => {
    const history = new HistoryBuilder(1)
      .arrives('x', 'account-2', 'account')
      .arrives('b', 'account-1', 'account')
      .ends('b', 'APPLIED', 'account-1', 'account')
      .arrives('a', 'account-1', 'account')
      .ends('a', 'APPLIED', 'account-1', 'account')
      .ends('x', 'APPLIED', 'account-2', 'account')
      .sells('a', 1, credit())
      .sells('b', 2)
      .sells('x', 1, credit());
    const { verdict, because } = history.judge();
    expect([verdict, because[0]]).toEqual([
      'unknown',
      expect.stringContaining('b (2 → 1) was answered before a'),
    ]);
  });
});

/**
 * Scenario: two carts with the same two products in opposite order; each buyer takes the first lock of its cart
 * and waits for the other one.
 *
 * Why it breaks: a deadlock until the leases end; then both continue and both products are oversold.
 *
 * Fix: take the locks in one global order (sorted), or rows in the database, which detects a deadlock at once.
 * Sorting does not help against leases that end during the work.
 */
import { valueAfter } from '#lab/balance';
import { CROSSED_CARTS, EXPLORE_OPTIONS, Schedule, before, explore, type World } from '#lab/explore';
import { cartStrategy, findStrategy, type CartStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const begin = (name: string, options = {}): Promise<Schedule> =>
  Schedule.begin(world, findStrategy(name), { carts: CROSSED_CARTS, options });

/** A and B hold one lock each and wait for the other one. */
async function crossed(options = {}): Promise<Schedule> {
  const schedule = await begin('multi-unsorted', options);
  const { A, B } = schedule;
  await A.step();
  await B.step();
  await A.finish();
  await B.finish();
  expect([A.canMove, B.canMove]).toEqual([false, false]);
  return schedule;
}

describe('locks taken in cart order', () => {
  test('block both buyers until both leases end; then both continue and both products are oversold', async () => {
    const schedule = await crossed();
    const { A, B } = schedule;
    await schedule.lapse();
    await schedule.lapse();
    await A.runUntil(before('UPDATE balance'));
    await B.finish();
    await A.finish();
    const { history, verdict } = await schedule.end();
    expect([A.outcome, B.outcome]).toEqual(['APPLIED', 'APPLIED']);
    expect(history.final.amounts).toEqual({ item: 0, other: 0 });
    expect(history.final.movements).toHaveLength(4);
    const sentences = verdict.violations.map(({ kind, sentence }) => `${kind}: ${sentence}`);
    expect(sentences).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^oversold: item: 2 sold of 1/),
        expect.stringMatching(/^oversold: other: 2 sold of 1/),
        expect.stringMatching(/^overlap: /),
      ]),
    );
  });

  test('end as a dead-lock when only time passes, and the verdict names the cycle', async () => {
    const schedule = await crossed();
    const { verdict } = await schedule.end();
    expect(verdict.violations.map(({ kind, sentence }) => `${kind}: ${sentence}`)).toContain(
      'dead-lock: a cycle of waiters: A waits for lock:{other}:multi-unsorted, which B holds; ' +
        'B waits for lock:{item}:multi-unsorted, which A holds',
    );
  });

  test('time out when waitMs is shorter than the lease: no lock remains and nothing is oversold', async () => {
    const schedule = await crossed({ waitMs: 5000, leaseMs: 10_000 });
    const { history, verdict } = await schedule.end();
    // the buyer that gives up second may find the lock of the first one free
    expect([schedule.A.outcome, schedule.B.outcome]).toContain('LOCK.NOT_OBTAINED');
    expect(history.final.locks).toEqual([]);
    expect(verdict.violations.map(({ kind }) => kind)).toContain('dead-lock');
    expect(verdict.violations.map(({ kind }) => kind)).not.toContain('oversold');
  });
});

describe('rows locked FOR UPDATE in cart order', () => {
  const unsorted: CartStrategy = {
    ...cartStrategy(findStrategy('for-update')),
    name: 'for-update-unsorted',
    applyAll: (cart, { balances }) =>
      balances.transaction(async (tx) => {
        const sales = [];
        for (const change of cart) {
          const amount = await tx.readForUpdate(change.balance);
          sales.push({ ...change, before: amount, after: valueAfter(change, amount) });
        }
        return tx.writeAll(sales);
      }),
  };

  test('deadlock, and the database resolves it at once: one transaction is rolled back, the other buyer buys', async () => {
    const schedule = await Schedule.begin(world, unsorted, { carts: CROSSED_CARTS });
    const { A, B } = schedule;
    for (const buyer of [A, B]) {
      await buyer.runUntil(before('SELECT'));
      await buyer.step();
    }
    await A.step();
    expect(A.actor.blocked).toBe(true);
    await B.step();
    const { history, verdict } = await schedule.end();
    expect([A.outcome, B.outcome].toSorted()).toEqual(['APPLIED', 'ER_LOCK_DEADLOCK']);
    expect(history.final.amounts).toEqual({ item: 0, other: 0 });
    expect(verdict.violations.map(({ kind }) => kind)).toEqual(['dead-lock']);
  });

  test('never oversell in any interleaving', async () => {
    const setup = { options: EXPLORE_OPTIONS, stock: 1, processes: ['p1', 'p2'], carts: CROSSED_CARTS };
    const plan = { setup: { ...setup, strategy: unsorted }, budget: {}, faultPlaces: {}, reduce: true };
    const tally = await explore(world, plan);
    expect([...tally.kinds.keys()]).toEqual(['dead-lock']);
  });
});

import { judgeSchedule, type ScheduleHistory } from '#lab/verdict';

/** A received `code`, and a movement of A exists. */
const answeredAfterSale = (code: string): ScheduleHistory => ({
  strategy: 'none',
  stock: 2,
  actors: [{ name: 'A', process: 'p1' }],
  events: [{ type: 'end', n: 1, actor: 'A', code, text: code }],
  final: {
    amount: 1,
    amounts: { item: 1 },
    movements: [{ balance: 'item', request: 'A', segment: null, delta: -1, before: 2, after: 1 }],
    locks: [],
  },
});

test.each(['DEPENDENCY.DOWN', 'LOCK.NOT_OBTAINED', 'LOCK.LOST'])(
  'a movement of a buyer that received %s is an orphan',
  (code) => {
    expect(judgeSchedule(answeredAfterSale(code)).violations).toMatchObject([
      { kind: 'orphan', sentence: `A received ${code}, but has a movement`, at: [1] },
    ]);
  },
);

test.each(['APPLIED', 'OUTCOME_UNKNOWN', 'DIED'])(
  'a movement of a buyer with the outcome %s is not an orphan',
  (code) => {
    expect(judgeSchedule(answeredAfterSale(code)).violations).toEqual([]);
  },
);

test('a dead buyer has no outcome: its movement is not an orphan', () => {
  const kinds = judgeSchedule({ ...answeredAfterSale('APPLIED'), events: [] }).violations.map(
    ({ kind }) => kind,
  );
  expect(kinds).not.toContain('orphan');
});

/** Both buyers received APPLIED; three units before. */
const sold = (
  sales: readonly (readonly [request: string, balance: string, before: number, after: number])[],
  carts: Readonly<Record<string, readonly string[]>> = {},
): ScheduleHistory => ({
  strategy: 'none',
  stock: 3,
  actors: ['A', 'B'].map((name, i) => ({
    name,
    process: `p${i + 1}`,
    ...(carts[name] !== undefined && { cart: carts[name] }),
  })),
  events: ['A', 'B'].map((actor, i) => ({ type: 'end', n: i + 1, actor, code: 'APPLIED', text: 'APPLIED' })),
  final: {
    amount: 0,
    amounts: Object.fromEntries(
      [...new Set(sales.map(([, balance]) => balance))].map((balance) => [
        balance,
        3 - sales.reduce((sum, [, one, from, to]) => sum + (one === balance ? from - to : 0), 0),
      ]),
    ),
    movements: sales.map(([request, balance, before, after]) => ({
      balance,
      request,
      segment: null,
      delta: after - before,
      before,
      after,
    })),
    locks: [],
  },
});

test('one unit for each buyer is in order', () => {
  const history = sold([
    ['A', 'item', 3, 2],
    ['B', 'item', 2, 1],
  ]);
  expect(judgeSchedule(history).violations).toEqual([]);
});

test('a buyer that was served twice has more movements than it ordered', () => {
  const history = sold([
    ['A', 'item', 3, 2],
    ['A', 'item', 2, 1],
    ['B', 'item', 1, 0],
  ]);
  expect(judgeSchedule(history).violations).toMatchObject([
    { kind: 'orphan', sentence: 'A has movements of 2 of item, and ordered 1' },
  ]);
});

test('a movement of two units is one unit more than ordered', () => {
  const history = sold([
    ['A', 'item', 3, 1],
    ['B', 'item', 1, 0],
  ]);
  expect(judgeSchedule(history).violations).toMatchObject([{ kind: 'orphan' }]);
});

test('a movement without a buyer, and one of a product that is not in the cart, were not ordered', () => {
  const ofNobody = sold([
    ['A', 'item', 3, 2],
    ['B', 'item', 2, 1],
    ['X', 'item', 1, 0],
  ]);
  expect(judgeSchedule(ofNobody).violations).toMatchObject([
    { kind: 'orphan', sentence: 'X has movements of 1 of item, and ordered 0' },
  ]);
  const ofAnotherProduct = sold(
    [
      ['A', 'item', 3, 2],
      ['A', 'other', 3, 2],
      ['B', 'other', 2, 1],
    ],
    { A: ['item'], B: ['other'] },
  );
  expect(judgeSchedule(ofAnotherProduct).violations).toMatchObject([
    { kind: 'orphan', sentence: 'A has movements of 1 of other, and ordered 0' },
  ]);
});

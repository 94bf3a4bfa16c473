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

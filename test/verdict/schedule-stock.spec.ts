import { judgeSchedule, type ScheduleHistory } from '#lab/verdict';

/** A was told `code`; then there is a movement of it. */
const toldAfterSale = (code: string): ScheduleHistory => ({
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
  'a movement of a buyer who was told %s is an orphan',
  (code) => {
    expect(judgeSchedule(toldAfterSale(code)).violations).toMatchObject([
      { kind: 'orphan', sentence: `A was told ${code}, and there is a movement of it`, at: [1] },
    ]);
  },
);

test.each(['APPLIED', 'OUTCOME_UNKNOWN', 'DIED'])('a movement of a buyer whose end is %s is none', (code) => {
  expect(judgeSchedule(toldAfterSale(code)).violations).toEqual([]);
});

test('a dead buyer has no end: its movement is no orphan', () => {
  const kinds = judgeSchedule({ ...toldAfterSale('APPLIED'), events: [] }).violations.map(({ kind }) => kind);
  expect(kinds).not.toContain('orphan');
});

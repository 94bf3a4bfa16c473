import {
  cellOf,
  leftOpen,
  reportCard,
  unexplained,
  verify,
  type MatrixCell,
  type VerifiedCell,
} from '#lab/explore';
import { findStrategy, type Strategy } from '#lab/strategy';
import { openOwnFiles } from './own-files';

const { explorer, ofFile } = openOwnFiles(__filename);

/** Locks the row. Tries the sale `tries` times when it fails, also when only the reply to its COMMIT was lost. */
const sale = (tries: number): string => `
const failure = (code) => Object.assign(new Error(code), { code });
exports.strategy = {
  async apply(change, { balances }) {
    const sell = () => balances.transaction(async (tx) => {
      const before = await tx.readForUpdate(change.balance);
      if (before + change.delta < 0) throw failure('STOCK.SOLD_OUT');
      return tx.write(change, before, before + change.delta);
    });
    for (let tries = ${tries}; ; tries--)
      try {
        return await sell();
      } catch (error) {
        if (error.code === 'STOCK.SOLD_OUT' || tries === 1) throw error;
      }
  },
};`;

/** The circumstances of no promise with the most schedules. */
const LARGEST = ['overrun', 'cut', 'in-flight'];

const SEEN: MatrixCell = {
  cell: '',
  mark: 'data-wrong',
  schedules: 10,
  redundant: 0,
  harms: { 'data-wrong': 3, unavailable: 0, 'lock-broken': 0 },
  kinds: {},
  prevented: { waits: 0, rejects: 0, aborts: 0 },
  protections: {},
  contradictions: [],
};

/** The circumstances of one promise, and those of none but `leftOut`. */
async function cellsOf(
  strategy: Strategy,
  leftOut: readonly string[] = [],
): Promise<readonly VerifiedCell[]> {
  const { cells } = await verify(explorer(), strategy, 600_000, {
    signal: new AbortController().signal,
    promises: ['sellsToTheLast'],
    further: true,
    leftOut,
    enough: 1,
  });
  return cells;
}

test('a sale that is tried again after a lost COMMIT reply keeps its promise, and the card shows what it does', async () => {
  const cells = await cellsOf(ofFile('tries-again.js', sale(2)), LARGEST);
  const card = reportCard(cells, ['sellsToTheLast']);
  expect(card).toMatchObject([{ state: 'kept' }]);
  const [found, ...others] = unexplained(cells, card);
  expect(others).toEqual([]);
  expect(found).toEqual({
    kind: 'orphan',
    circumstances: ['a reply is lost'],
    schedules: expect.any(Number) as number,
    token: expect.stringContaining('.own-tries-again.') as string,
    sentence: 'A received STOCK.SOLD_OUT, but has a movement',
  });
  expect(found?.schedules).toBeGreaterThan(1); // only a broken promise ends a circumstance early
});

test.each([
  ['one try', () => ofFile('one-try.js', sale(1)), LARGEST],
  ['for-update', () => findStrategy('for-update'), []],
])('%s shows nothing that a broken promise must explain', async (_, strategyOf, leftOut) => {
  const cells = await cellsOf(strategyOf(), leftOut);
  expect(unexplained(cells, reportCard(cells))).toEqual([]);
  expect(leftOpen(cells)).toEqual([]);
});

test('a promise that is declared to be lacking explains what it allows, also when the time did not show it broken', () => {
  const cell = cellOf('cut');
  const explored = { ...SEEN, cell: cell.name, kinds: { oversold: 3 } };
  expect(unexplained([{ cell, explored }], [])).toMatchObject([{ kind: 'oversold', schedules: 3 }]);
  expect(unexplained([{ cell, explored }], [], ['survivesLapse'])).toEqual([]);
  expect(unexplained([{ cell, explored }], [], ['releasesAfterSale'])).toHaveLength(1);
});

test('a circumstance of no promise that was not explored is named', () => {
  const failure = 'no time was left';
  const cells = ['kill', 'lose-reply'].map((name) => ({ cell: cellOf(name), failure }));
  expect(leftOpen(cells)).toEqual(['a reply is lost']);
});

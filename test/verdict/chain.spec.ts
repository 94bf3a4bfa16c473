import { checkChain, type ConfirmedSale } from '#lab/verdict';

const sale = (request: string, before: number, after: number, asked = 0, answered = 100): ConfirmedSale => ({
  request,
  before,
  after,
  asked,
  answered,
});

test('sales of one or several units that lead from the first value to the last are a chain', () => {
  expect(checkChain(5, 1, [sale('c', 2, 1), sale('a', 5, 4), sale('b', 4, 2)])).toBeUndefined();
  expect(checkChain(3, 3, [])).toBeUndefined();
});

test('a value sold twice is named with both buyers', () => {
  expect(checkChain(788, 786, [sale('a', 788, 787), sale('b', 788, 787), sale('c', 787, 786)])).toEqual({
    kind: 'sold-twice',
    sentence: 'a (788 → 787) and b (788 → 787) sold the same unit',
    requests: ['a', 'b'],
  });
});

test('overlapping quantities sold the same unit too', () => {
  expect(checkChain(5, 2, [sale('a', 5, 2), sale('b', 4, 3)])).toMatchObject({ kind: 'sold-twice' });
});

test('a unit without a confirmed sale is a gap', () => {
  expect(checkChain(3, 0, [sale('a', 3, 2), sale('b', 1, 0)])).toMatchObject({
    kind: 'gap',
    sentence: 'the stock was 2 after a, but b read 1',
  });
});

test('a final balance that does not match the sales is a contradiction', () => {
  expect(checkChain(3, 2, [sale('a', 3, 2), sale('b', 2, 1)])).toMatchObject({ kind: 'final' });
});

test('a sale answered before another one was sent precedes it', () => {
  const early = sale('early', 2, 1, 0, 10);
  const late = sale('late', 3, 2, 20, 30);
  expect(checkChain(3, 1, [early, late])).toMatchObject({ kind: 'order', requests: ['late', 'early'] });
  expect(checkChain(3, 1, [{ ...early, answered: 25 }, late])).toBeUndefined();
});

test('a sale is compared with all sales sent after its answer, not only with its neighbor', () => {
  const chain = [sale('a', 3, 2, 50, 60), sale('b', 2, 1, 0, 100), sale('c', 1, 0, 0, 40)];
  expect(checkChain(3, 0, chain)).toMatchObject({ kind: 'order', requests: ['a', 'c'] });
});

test('a change upward or below zero is not a sale', () => {
  expect(checkChain(3, 4, [sale('a', 3, 4)])).toMatchObject({ kind: 'not-a-sale' });
  expect(checkChain(0, -1, [sale('a', 0, -1)])).toMatchObject({ kind: 'not-a-sale' });
});

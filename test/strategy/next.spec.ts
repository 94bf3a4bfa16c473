import { CATALOGUE, findStrategy } from '#lab/strategy';

const withNext = CATALOGUE.flatMap((strategy) =>
  strategy.next.strategy === undefined ? [] : [{ strategy, next: findStrategy(strategy.next.strategy) }],
);

test.each(withNext)('$strategy.name: $next.name is as exact as it, or more', ({ strategy, next }) => {
  const lost = (['exactInOneProcess', 'exactAcrossProcesses'] as const).filter(
    (one) => next.lacks.includes(one) && !strategy.lacks.includes(one),
  );
  expect(lost).toEqual([]);
});

test('only the mutex of one process is recommended although it oversells across processes', () => {
  const overselling = withNext.filter(({ next }) => next.lacks.includes('exactAcrossProcesses'));
  expect(overselling.map(({ next }) => next.name)).toEqual(['local-mutex']);
});

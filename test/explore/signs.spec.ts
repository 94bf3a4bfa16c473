import { CELLS, cellOf, explore, judgeCell, planOf } from '#lab/explore';
import { CATALOGUE, findStrategy } from '#lab/strategy';
import { rows, testSigns } from './signs';

const sampled = rows.filter(({ isSampled }) => isSampled);

const world = testSigns(__filename, sampled);

test('the sample has each strategy and each cell', () => {
  expect(new Set(sampled.map(({ strategy }) => strategy.name))).toEqual(
    new Set(CATALOGUE.map(({ name }) => name)),
  );
  const seen = new Set(sampled.map(({ cell }) => cell.name));
  expect(CELLS.filter(({ name }) => !seen.has(name)).map(({ name }) => name)).toEqual([]);
});

test('a fault that never fires proves nothing', async () => {
  const tally = await explore(world(), planOf(findStrategy('for-update'), cellOf('lapse')));
  expect(judgeCell(tally, 'lapse')).toEqual({
    mark: 'unknown',
    reason: { code: 'fault-never-fired', fault: 'lapse' },
  });
});

test('a partial exploration proves nothing', async () => {
  const tally = await explore(world(), planOf(findStrategy('for-update'), cellOf('two processes')), {
    max: 2,
  });
  expect(judgeCell(tally, undefined)).toMatchObject({ mark: 'unknown', reason: { code: 'incomplete' } });
});

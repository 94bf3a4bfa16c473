import { CELLS } from '#lab/explore';
import { ROWS, testPlantedCells } from './planted-cells';

test.each(CELLS)('$name: a bug is planted for it', ({ name }) => {
  expect(ROWS.map(({ cell }) => cell)).toContain(name);
});

testPlantedCells(__filename, (test, { isLarge = false }) => test === 'bug' && !isLarge);

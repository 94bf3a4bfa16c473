import { CELLS } from '#lab/explore';
import { ROWS } from './planted-cells';

// the planted bugs are searched by planted-cells.long.spec.ts
test.each(CELLS)('$name: a bug is planted for it', ({ name }) => {
  expect(ROWS.map(({ cell }) => cell)).toContain(name);
});

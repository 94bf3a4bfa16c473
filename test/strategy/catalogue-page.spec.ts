import { CATALOGUE, renderCatalogue } from '#lab/strategy';
import { shownBy } from '../../apps/lab/src/shown-by';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const COMMAND = 'npx lab strategies --docs docs/catalogue.md';

test('docs/catalogue.md matches the descriptions of the strategies', () => {
  const committed = readFileSync(join(__dirname, '../../docs/catalogue.md'), 'utf8');
  // compared as one value: a diff of two pages would hide the command
  const state =
    committed === renderCatalogue(CATALOGUE, shownBy()) ? 'up to date' : `stale: run "${COMMAND}"`;
  expect(state).toBe('up to date');
});

test('every strategy is in exactly one chapter', () => {
  const headings = renderCatalogue(CATALOGUE, shownBy()).match(/(?<=^### ).*$/gm);
  expect(headings).toEqual(CATALOGUE.map(({ name }) => name));
});

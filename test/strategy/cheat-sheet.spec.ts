import { LANGUAGES } from '#lab/verdict';
import { SUMMARY_COLUMNS, type SavedMatrix } from '#lab/explore';
import { failingOf, renderCheatSheet } from '../../apps/lab/src/cheat-sheet/page';
import { NEEDS } from '../../apps/lab/src/cheat-sheet/needs';
import { TEXTS } from '../../apps/lab/src/cheat-sheet/texts';
import { readFileSync } from 'node:fs';

const matrix = JSON.parse(readFileSync('docs/matrix.json', 'utf8')) as SavedMatrix;

test.each([
  ['en', 'docs/cheat-sheet.html'],
  ['zh', 'docs/cheat-sheet.zh.html'],
] as const)('the cheat sheet (%s) matches docs/matrix.json and the catalogues', (language, file) => {
  const isSame = readFileSync(file, 'utf8') === renderCheatSheet(matrix, language);
  const command = `npx lab cheat-sheet --lang ${language} --out ${file}`;
  expect(isSame ? 'up to date' : `stale: run "${command}"`).toBe('up to date');
});

test('what a strategy does not survive is what the summary of the matrix marks', () => {
  const marksOf = (name: string): Record<string, string> =>
    Object.fromEntries(
      failingOf({ kind: 'strategy', name, why: { en: '', zh: '' } }, matrix).map(({ circumstance, mark }) => [
        circumstance,
        mark,
      ]),
    );
  expect(marksOf('conditional-update')).toEqual({});
  expect(marksOf('local-mutex')).toEqual({ 'two processes': 'data-wrong' });
  expect(marksOf('setnx')).toMatchObject({ kill: 'unavailable', flush: 'data-wrong' });
  expect(marksOf('fenced')).toMatchObject({ pause: 'lock-broken' });
});

test('both languages have words for every column of the summary and every failure shown', () => {
  const shown = NEEDS.flatMap(({ use }) => use).flatMap((one) => failingOf(one, matrix));
  for (const language of LANGUAGES)
    for (const name of [...Object.keys(SUMMARY_COLUMNS), ...shown.map(({ circumstance }) => circumstance)])
      expect(Object.keys(TEXTS[language].circumstances)).toContain(name);
});

test('the page needs no script and no network', () => {
  for (const language of LANGUAGES)
    expect(renderCheatSheet(matrix, language)).not.toMatch(/<script|<link|https?:|url\(/);
});

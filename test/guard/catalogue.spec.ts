import { findGuard, GUARDS, renderGuards, USES } from '#lab/guard';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const COMMAND = 'npx lab guards --docs docs/guards.md';

test(`docs/guards.md is what "${COMMAND}" writes`, () => {
  const committed = readFileSync(join(__dirname, '..', '..', 'docs', 'guards.md'), 'utf8');
  expect(committed === renderGuards(USES) ? 'up to date' : `stale: run "${COMMAND}"`).toBe('up to date');
});

test('names are unique, begin with the use, and every recommended guard exists and is of the same use', () => {
  expect(new Set(GUARDS.map(({ name }) => name)).size).toBe(GUARDS.length);
  for (const { name: use, guards } of USES)
    for (const { name, next } of guards) {
      expect(name.startsWith(`${use}/`)).toBe(true);
      if (next.guard !== undefined) expect(findGuard(next.guard).name.startsWith(`${use}/`)).toBe(true);
    }
});

test('every use has a guard that shows a violation without any fault, and one that shows none with any', () => {
  for (const { guards } of USES) {
    expect(guards.some(({ expected }) => expected.none !== undefined)).toBe(true);
    expect(
      guards.some(({ expected }) =>
        Object.values(expected).every(({ must }) => !must.some((kind) => kind !== 'repeated-work')),
      ),
    ).toBe(true);
  }
});

import { FAULTS, type FaultName } from '#lab/strategy';
import { ALL_KINDS } from '#load-tests/soak';
import { read } from './pages';

/** The rows of the table "One fault, several ways to inject it", as docs/faults.md must show them. */
const expected = (Object.keys(FAULTS) as FaultName[]).map((name) => {
  const { actions, tests, circumstances } = FAULTS[name];
  const shown = [...new Set(actions.map((action) => (action === 'pause-until' ? 'pause' : action)))];
  const soak = ALL_KINDS.filter(({ fault }) => fault === name).map((kind) => kind.name);
  const list = (names: readonly string[]): string => names.map((one) => `\`${one}\``).join(', ') || '–';
  return [`\`${name}\``, list(shown), list(soak), list(tests), list(circumstances)];
});

test('docs/faults.md shows each fault with its ways of injection and what the catalogue expects of it', () => {
  const rows = read('docs/faults.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  for (const row of expected) expect(rows).toContainEqual(row);
});

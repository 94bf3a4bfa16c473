import { reportCard, verify } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openOwnFiles } from './own-files';

const { explorer } = openOwnFiles(__filename);

test('a promise stays open until a circumstance that tests it shows a violation: the same violation in another one decides nothing', async () => {
  // while a process is paused its lease ends, and it oversells; slow work is survived, because the lease is renewed
  const { cells } = await verify(explorer(), findStrategy('watchdog'), 600_000, {
    signal: new AbortController().signal,
    promises: ['survivesLapse', 'survivesSlowWork'],
    leftOut: ['two products'],
    enough: 1,
  });
  const shown = cells.flatMap(({ cell, explored }) => (explored?.kinds['oversold'] ? [cell.name] : []));
  expect(shown).toContain('pause');
  const states = reportCard(cells).map(({ capability, state }) => [capability, state]);
  expect(Object.fromEntries(states)).toMatchObject({ survivesLapse: 'broken', survivesSlowWork: 'kept' });
  expect(cells.find(({ cell }) => cell.name === 'slow work')?.explored?.partial).toBeUndefined();
});

import { cellOf, explore, judgeCell, planOf } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { rows, testSigns } from './signs';

const world = testSigns(
  __filename,
  rows.filter(({ isSampled }) => !isSampled),
);

test('a pause longer than the lease defeats the watchdog; slow work does not', async () => {
  const watchdog = findStrategy('watchdog');
  const paused = await explore(world(), planOf(watchdog, cellOf('pause')), { max: 150 });
  expect(paused.kinds.get('oversold')).toBeGreaterThan(0);
  for (const name of ['slow work', 'lapse']) {
    const tally = await explore(world(), planOf(watchdog, cellOf(name)));
    expect([name, tally.violating, tally.partial]).toEqual([name, 0, false]);
    expect(judgeCell(tally, cellOf(name).about).mark).toBe('safe');
  }
});

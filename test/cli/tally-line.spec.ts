import { cellOf, emptyTally, planOf, worstHarmOf, type Tally } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { printTally, tallyLine } from '../../apps/lab/src/print/tally';

const lineAfter = (schedules: number, seconds: number): string =>
  tallyLine('none', { ...emptyTally(), schedules, searched: 0.02 }, 3, seconds);

test('the searched share is not estimated before five schedules and three seconds', () => {
  expect(lineAfter(1, 10)).not.toContain('%');
  expect(lineAfter(40, 1)).not.toContain('%');
  expect(lineAfter(40, 4)).toContain('about 2 % of the tree');
});

const none = findStrategy('none');

function printed(found: Partial<Tally>, max?: number): string {
  const details = { max, contradictions: [], verbose: false };
  return printTally(none, planOf(none, cellOf('kill')), { ...emptyTally(), ...found }, 1, [], details);
}

test('a partial result names the limit that ended the search', () => {
  expect(printed({ schedules: 20, partial: true }, 20)).toContain('it ended after --max 20');
  expect(printed({ schedules: 19, partial: true }, 20)).toContain('--time 10m searches longer');
  expect(printed({ schedules: 20, partial: true })).toContain('--time 10m searches longer');
});

test('the worst harm of a tally is the first with a schedule: wrong data, then an outage, then a broken lock', () => {
  const { harms } = emptyTally();
  expect(worstHarmOf({ harms })).toBeUndefined();
  expect(worstHarmOf({ harms: { ...harms, unavailable: 2, 'lock-broken': 5 } })).toEqual({
    harm: 'unavailable',
    schedules: 2,
  });
});

test('the headline of a fault that never happened names the harm without it', () => {
  const harms = { ...emptyTally().harms, 'data-wrong': 2 };
  const text = printed({ schedules: 3, harms }).replace(/\s+/g, ' ');
  expect(text).toContain('could hit; without it, data wrong in 2 of 3 schedules');
});

import type { Mark, RunVerdict } from '../api/types';
import { MARKS, SIGNS } from '../shared/mark';
import { labelOf, type Texts } from '../texts';

export const markOf = ({ mark }: RunVerdict): Mark => {
  const known = MARKS.find((one) => one === mark);
  return known === undefined || known === 'none' ? 'unknown' : known;
};

/** The verdict as it is read from the back row. */
export function bigWords(t: Texts, verdict: RunVerdict): string {
  const mark = markOf(verdict);
  return `${SIGNS[mark]} ${wordsOf(t, mark, verdict)}`;
}

function wordsOf(t: Texts, mark: Mark, { oversold, lostUpdates, violations }: RunVerdict): string {
  if (mark === 'safe') return t.run.exact;
  if (mark === 'unknown') return t.run.unknown;
  if (oversold > 0) return t.run.oversoldBy(oversold);
  if (lostUpdates > 0) return t.run.lostUpdates(lostUpdates);
  const [first] = violations;
  if (mark === 'unavailable' && (first === undefined || first === 'stuck')) return t.run.stuck;
  return first === undefined ? t.marks[mark] : labelOf(t.violations, first);
}

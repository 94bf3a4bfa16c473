import { HARMS, MARKS, type FaultName, type Mark } from '#lab/verdict';
import type { Tally } from '../search';

/** The mark of an exploration, and the reason when it does not follow from the counts. */
export interface CellVerdict {
  readonly mark: Mark;
  readonly because?: string;
}

/**
 * Judges an exploration. `safe` requires that every schedule was run, the fault occurred, and the actors overlapped.
 * A cell is harmless (lock broken, or stuck, with correct data) only when every schedule was run.
 */
export function judgeCell(tally: Tally, about: FaultName | undefined): CellVerdict {
  const unknown = (because: string): CellVerdict => ({ mark: 'unknown', because });
  if (about !== undefined && (tally.fired.get(about) ?? 0) === 0)
    return unknown(`${about} never happened: there is nothing here that it could hit`);
  const [worst] = HARMS.filter((harm) => tally.harms[harm] > 0);
  if (worst === 'data-wrong') return { mark: worst };
  if (tally.partial) {
    const found = worst === undefined ? '' : `${MARKS[worst].words} in ${tally.harms[worst]} of them; `;
    return unknown(`${found}not every schedule was run, so that wrong data may still be found`);
  }
  if (worst !== undefined) return { mark: worst };
  return tally.contended === 0 ? unknown('the actors never overlapped') : { mark: 'safe' };
}

import type { FaultName } from '#lab/strategy';
import { MARKS, type Harm, type Mark } from '#lab/verdict';
import { worstHarmOf, type Tally } from '../search';

/** Why an exploration proves nothing. The text for people is `unknownText`. */
export type UnknownReason =
  | { readonly code: 'fault-never-fired'; readonly fault: FaultName }
  /** The search ended early. `found`: the worst harm so far, in how many schedules. */
  | { readonly code: 'incomplete'; readonly found?: { readonly harm: Harm; readonly schedules: number } }
  | { readonly code: 'no-contention' }
  /** The servers behaved differently when a prefix was repeated. */
  | { readonly code: 'diverged'; readonly message: string };

/** The mark of an exploration, and the reason when it is `unknown`. */
export type CellVerdict =
  | { readonly mark: Exclude<Mark, 'unknown'>; readonly reason?: undefined }
  | { readonly mark: 'unknown'; readonly reason: UnknownReason };

/**
 * Judges an exploration. `safe` requires that every schedule was run, the fault occurred, and the actors overlapped.
 * A cell is harmless (lock broken, or stuck, with correct data) only when every schedule was run.
 */
export function judgeCell(tally: Tally, about: FaultName | undefined): CellVerdict {
  const found = worstHarmOf(tally);
  const worst = found?.harm;
  const missing = about !== undefined && (tally.fired.get(about) ?? 0) === 0 ? about : undefined;
  if (missing === undefined && worst === 'data-wrong') return { mark: worst };
  if (tally.partial)
    return { mark: 'unknown', reason: { code: 'incomplete', ...(found !== undefined && { found }) } };
  if (missing !== undefined)
    return { mark: 'unknown', reason: { code: 'fault-never-fired', fault: missing } };
  if (worst !== undefined) return { mark: worst };
  return tally.contended === 0 ? { mark: 'unknown', reason: { code: 'no-contention' } } : { mark: 'safe' };
}

/** The reason as a sentence, for people. */
export function unknownText(reason: UnknownReason): string {
  switch (reason.code) {
    case 'fault-never-fired':
      return `${reason.fault} never happened: there is nothing here that it could hit`;
    case 'incomplete': {
      const { found } = reason;
      const seen = found === undefined ? '' : `${MARKS[found.harm].words} in ${found.schedules} of them; `;
      return `${seen}not every schedule was run, so that wrong data may still be found`;
    }
    case 'no-contention':
      return 'the actors never overlapped';
    case 'diverged':
      return `the servers were not deterministic in two attempts: ${reason.message}`;
  }
}

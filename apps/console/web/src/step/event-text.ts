import type { ScheduleEvent } from '../api/types';
import { labelOf, type Texts } from '../texts';

/**
 * A statement without what is the same in every schedule; the whole text is shown on demand. A lock of the second product of a
 * cart keeps its name: otherwise one lock would seem to have two holders.
 */
export const shortText = ({ kind, text }: Pick<ScheduleEvent, 'kind' | 'text'>): string =>
  (kind === 'sql' ? text.replace(/^INSERT INTO movement .*/, 'INSERT INTO movement …') : text)
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (uuid) => `${uuid.slice(0, 4)}…`)
    .replace(/lock:\{item\}:/g, 'lock:')
    .replace(/lock:\{([^{}]*)\}:/g, 'lock:$1:');

/** The answer to a step; empty while there is none. */
export const replyText = ({ reply, error }: ScheduleEvent): string =>
  error === undefined ? (reply ?? '') : `✗ ${error}`;

type LockChange = NonNullable<ScheduleEvent['locks']>[number];

/** The holder of the lock is another buyer than the one that changed it. */
export const isForeign = ({ change, by, owner }: LockChange): boolean =>
  (change === 'released' || change === 'renewed' || change === 'replaced') &&
  by !== undefined &&
  owner !== undefined &&
  by !== owner;

/** A change of a lock in words. */
export function lockText(t: Texts, { change, by = '?', owner = '?' }: LockChange): string {
  const isOther = isForeign({ key: '', change, by, owner });
  switch (change) {
    case 'taken':
      return t.lockChange.taken(by);
    case 'replaced':
      return t.lockChange.replaced(by, owner);
    case 'released':
      return isOther ? t.lockChange.foreign(by, owner) : t.lockChange.released(by);
    case 'renewed':
      return isOther ? t.lockChange.foreignRenewal(by, owner) : t.lockChange.renewed(by);
    case 'expired':
      return t.lockChange.expired(owner);
    case 'flushed':
      return t.lockChange.flushed(owner);
  }
}

/** The end of a buyer: its outcome in words and as code. */
export const endText = (t: Texts, event: ScheduleEvent): string => {
  const { code = '' } = event;
  return t.step.ended(labelOf(t.outcomes, code), code === 'APPLIED' ? sentence(t, event) : code);
};

/** The text of an event that is no statement. */
export const sentence = (t: Texts, { text, inChinese = text }: ScheduleEvent): string =>
  t.said(text, inChinese);

import type { DisabledReason } from '../api/types';
import { labelOf, type Texts } from '../texts';

/** Why a choice is not enabled, in words. */
export function reasonText(t: Texts, { code, outcome = '', by = [] }: DisabledReason): string {
  const names = by.join(', ');
  switch (code) {
    case 'ended':
      return t.disabled.ended(labelOf(t.outcomes, outcome));
    case 'blocked':
      return names === '' ? t.disabled.blocked() : t.disabled.blockedBy(names);
    case 'waiting':
      return names === '' ? t.disabled.waiting() : t.disabled.waitingFor(names);
    case 'over':
    case 'died':
    case 'not-begun':
    case 'mutex':
    case 'idle':
    case 'no-lease':
    case 'no-timer':
    case 'no-session':
    case 'no-work':
    case 'nothing-stored':
    case 'already':
      return t.disabled[code]();
  }
}

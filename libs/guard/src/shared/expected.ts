import type { ViolationKind } from '#lab/strategy';
import type { Guard } from '../contract';

/** The lock ends before its holder has finished, whichever fault ends it: there are two holders, and these violations. */
export function whenLockEnds(...must: readonly ViolationKind[]): Guard['expected'] {
  const twoHolders = { must, may: ['overlap'] } as const;
  return { lapse: twoHolders, pause: twoHolders, flush: twoHolders };
}

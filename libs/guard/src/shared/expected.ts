import type { ViolationKind } from '#lab/strategy';
import type { Guard } from '../contract';

/** The lock ends before its holder has finished, whichever fault ends it: there are two holders, and these violations. */
export function whenLockEnds(...must: readonly ViolationKind[]): Guard['expected'] {
  const twoHolders = { must, may: ['overlap'] } as const;
  return { lapse: twoHolders, pause: twoHolders, flush: twoHolders };
}

/** The action ends between two of its steps: the process dies, or a step fails, whether or not the server executed it. */
export function whenInterrupted(...must: readonly ViolationKind[]): Guard['expected'] {
  return { kill: { must }, error: { must }, 'lose-reply': { must } };
}

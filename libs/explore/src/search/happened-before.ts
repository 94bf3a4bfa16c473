import { createHash } from 'node:crypto';
import { choiceText, isSame, type Choice } from '../schedule';
import { dependent, type Footprint } from './footprint';

/** A choice of a schedule, and those before it. */
export interface Made {
  /** Undefined: time has advanced, because nothing was enabled. */
  readonly choice: Choice | undefined;
  readonly footprint: Footprint;
  /**
   * Hash of the choice and of everything that happened before it: the earlier choices on which it depends, those on which these
   * depend, and so on (Lamport, "Time, clocks, and the ordering of events in a distributed system", 1978). The same in equivalent
   * schedules, whatever else they contain.
   */
  readonly hash: bigint;
  readonly before: Made | undefined;
}

/** The choices up to one of them. Undefined: none. */
export type Beginning = Made | undefined;

/** Adds a choice to a beginning. */
export function extend(before: Beginning, choice: Choice, footprint: Footprint): Made {
  const hash = hashOf(
    `${choiceText(choice)} ${JSON.stringify(footprint.accesses)} ${sumOf(before, footprint)}`,
  );
  return { choice, footprint, hash, before };
}

const TIME: Footprint = { actor: undefined, accesses: 'everything' };

/** Adds that time has advanced. */
export const advance = (before: Beginning): Made => ({
  choice: undefined,
  footprint: TIME,
  hash: hashOf(`time ${sumOf(before, TIME)}`),
  before,
});

/** Identifies the choices of a beginning on which a choice with this footprint depends, up to equivalence. */
export function sumOf(beginning: Beginning, footprint: Footprint): bigint {
  let sum = 0n;
  for (let made = beginning; made !== undefined; made = made.before)
    if (dependent(made.footprint, footprint)) sum += made.hash;
  return sum;
}

/** The choices up to the last step of an actor. */
function upToLastStepOf(beginning: Beginning, actor: string): Beginning {
  let made = beginning;
  while (made !== undefined && !isStepOf(made.choice, actor)) made = made.before;
  return made;
}

/**
 * Identifies what the code of an actor can have noticed: the last step of its request, and later choices on which this step
 * depends, which may have unblocked or failed it.
 */
export function noticedBy(beginning: Beginning, actor: string): bigint {
  const last = upToLastStepOf(beginning, actor);
  if (last === undefined) return hashOf(actor);
  let sum = last.hash;
  for (let made = beginning; made !== undefined && made !== last; made = made.before)
    if (dependent(made.footprint, last.footprint)) sum += made.hash;
  return sum;
}

/** Choices after which the code of the request of their actor runs, or that end it. */
const STEPS: readonly Choice['kind'][] = ['step', 'error', 'lose-reply', 'in-flight', 'arrival'];

const isStepOf = (choice: Choice | undefined, actor: string): boolean =>
  choice !== undefined && STEPS.some((kind) => isSame(choice, { kind, actor } as Choice));

/** SHA-1: two hashes, or sums of some of them, are never equal by accident. */
const hashOf = (text: string): bigint => BigInt(`0x${createHash('sha1').update(text).digest('hex')}`);

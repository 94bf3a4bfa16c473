import type { Choice } from '#lab/explore';

/**
 * The decisions of a schedule. Consecutive steps of one actor are one decision, and so are consecutive steps of its timers;
 * each fault is one.
 */
export const countDecisions = (choices: readonly Choice[]): number =>
  choices.filter((choice, i) => !continues(choice, choices[i - 1])).length;

const continues = (choice: Choice, before: Choice | undefined): boolean =>
  (choice.kind === 'step' || choice.kind === 'timer-step') &&
  before?.kind === choice.kind &&
  before.actor === choice.actor;

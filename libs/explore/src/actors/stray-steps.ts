import { currentScope } from '#lab/step';
import { ProcessDied } from './actor';

/**
 * Handles an unhandled rejection. A library timer may issue a step after its process died in the schedule: that is none. One of
 * foreign code ends its process in the schedule, as Node would. Every other one is thrown.
 */
export function onUnhandledRejection(error: unknown): void {
  if (error instanceof ProcessDied) return;
  const scope = currentScope(); // of the rejected promise
  if (scope?.onUnhandled === undefined) throw error;
  scope.onUnhandled(error);
}

/** From now on an unhandled rejection that is none of foreign code ends the explorer. */
export function refuseStraySteps(): void {
  process.on('unhandledRejection', onUnhandledRejection);
}

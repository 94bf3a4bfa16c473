import { currentScope } from '#lab/step';
import { ProcessDied } from './actor';

/**
 * Unhandled rejections. A library timer may issue a step after its process died in the schedule: that is none. One of foreign
 * code ends its process in the schedule, as Node would. Every other one ends the explorer.
 */
export function refuseStraySteps(): void {
  process.on('unhandledRejection', (error) => {
    if (error instanceof ProcessDied) return;
    const scope = currentScope(); // of the rejected promise
    if (scope?.onUnhandled === undefined) throw error;
    scope.onUnhandled(error);
  });
}

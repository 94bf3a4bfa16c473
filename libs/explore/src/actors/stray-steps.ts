import { ProcessDied } from './actor';

/**
 * A timer of a library may make a step after its process has died in the schedule, and await nothing: the step is refused,
 * as a dead process makes none. Such a refusal must not end the explorer; every other unhandled rejection still does.
 */
export function refuseStraySteps(): void {
  process.on('unhandledRejection', (error) => {
    if (!(error instanceof ProcessDied)) throw error;
  });
}

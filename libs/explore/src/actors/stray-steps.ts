import { ProcessDied } from './actor';

/**
 * A library timer may issue a step after its process died in the schedule, with no handler for the rejection. This
 * rejection must not end the explorer; every other unhandled rejection still does.
 */
export function refuseStraySteps(): void {
  process.on('unhandledRejection', (error) => {
    if (!(error instanceof ProcessDied)) throw error;
  });
}

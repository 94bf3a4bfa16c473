import { Disturbed, Run } from '../execution';
import { close } from './ending';
import type { Setup, World } from '../world';

/** Tries before the disturbance is reported: then its cause is not the load of the machine. */
const MOST_TRIES = 5;

/**
 * Plays a schedule on a run of its own, which is cleared away when that fails. A schedule that was disturbed is not
 * recorded but played again, from its beginning: `body` must do the same each time.
 */
export async function retryIfDisturbed<T>(
  world: World,
  setup: Setup,
  body: (run: Run) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const run = await Run.begin(world, setup);
    try {
      return await body(run);
    } catch (error) {
      await close(run).catch(() => close(run)); // what disturbed the schedule may disturb its end
      if (!(error instanceof Disturbed) || tries === MOST_TRIES) throw error;
    }
  }
}

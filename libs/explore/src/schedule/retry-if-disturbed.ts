import { OutsideTheSeam } from '../actors';
import { Disturbed, Run } from '../execution';
import { close } from './ending';
import { UnobservedCommand, type Setup, type World } from '../world';
import { warmUp } from './warm-up';

/** Attempts before the disturbance is reported: its cause is then not the load of the machine. */
const MAX_ATTEMPTS = 5;

/**
 * Runs `body` on a new run, which is cleaned up on failure. A disturbed schedule is not recorded but repeated from
 * its beginning: `body` must make the same choices each time.
 *
 * @throws UnobservedCommand in place of an error that a command over another client explains.
 */
export async function retryIfDisturbed<T>(
  world: World,
  setup: Setup,
  body: (run: Run) => Promise<T>,
): Promise<T> {
  await warmUp(world, setup);
  for (let attempt = 1; ; attempt++) {
    const run = await Run.begin(world, setup);
    try {
      return await body(run);
    } catch (error) {
      await close(run).catch(() => close(run)); // the same disturbance may affect the cleanup
      if (run.unobserved !== undefined && (error instanceof Disturbed || error instanceof OutsideTheSeam))
        throw new UnobservedCommand(run.unobserved, { cause: error });
      if (!(error instanceof Disturbed) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

import { slow } from '../faults';
import { Run } from '../execution';
import { isStrategy, type Setup, type World } from '../world';
import { apply } from './apply';
import { drive } from './drive';
import { close } from './ending';

/** Any: the request is held at its work. */
const WORK_MS = 10_000;

/**
 * Runs a request of a library's lock alone, once in a world: with work that ends within the lease, and with work that needs
 * renewals. Libraries send EVALSHA, and EVAL when the server does not know the script: without this, the first schedules would
 * have other steps than those after them.
 */
export async function warmUp(world: World, setup: Setup): Promise<void> {
  const { strategy } = setup;
  if (!isStrategy(strategy) || strategy.setsTimers !== true || !world.isNew(strategy.name)) return;
  await runAlone(world, setup, { isSlow: false });
  await runAlone(world, setup, { isSlow: true });
  await world.tables.settle();
}

async function runAlone(
  world: World,
  { options, carts, ...setup }: Setup,
  { isSlow }: { readonly isSlow: boolean },
): Promise<void> {
  const run = await Run.begin(world, {
    ...setup,
    options: { ...options, workMs: WORK_MS },
    processes: ['p1'],
    ...(carts !== undefined && { carts: carts.slice(0, 1) }),
  });
  await drive(
    run,
    ({ steps: [step] }) => step,
    async (choice) => {
      const [actor] = run.actors;
      if (isSlow && actor?.held[0]?.step.verb === 'WORK') await slow(run, actor);
      await apply(run, choice);
    },
  );
  await close(run);
}

import {
  apply,
  drive,
  enabledFaults,
  remainingAfter,
  type Choice,
  close,
  play,
  type Played,
  retryIfDisturbed,
} from '../schedule';
import { Diverged, type Plan } from './execution';
import type { Run } from '../execution';
import type { World } from '../world';

/** Runs a random schedule of a plan: a random walk over the enabled choices. `random` returns numbers from 0 to 1. */
export function randomWalk(world: World, plan: Plan, random: () => number): Promise<readonly Choice[]> {
  const drawn: number[] = [];
  return retryIfDisturbed(world, plan.setup, (run) => {
    let draws = 0; // a repeated attempt draws the same numbers
    return drawChoices(run, plan, () => (drawn[draws++] ??= random()));
  });
}

async function drawChoices(run: Run, plan: Plan, random: () => number): Promise<readonly Choice[]> {
  const choices: Choice[] = [];
  let remaining = plan.budget;
  await drive(
    run,
    ({ steps, resumes }) => {
      if (steps.length + resumes.length === 0) return undefined;
      const enabled = [...steps, ...enabledFaults(run, remaining, plan.faultPlaces)];
      return enabled[Math.floor(random() * enabled.length)];
    },
    async (choice) => {
      if (!(await apply(run, choice))) throw new Diverged(choices.length, choice);
      remaining = remainingAfter(remaining, choice);
      choices.push(choice);
    },
  );
  await close(run);
  return choices;
}

/** Runs a random schedule and replays it, with everything that a token needs. */
export const playRandom = async (world: World, plan: Plan, random: () => number): Promise<Played> =>
  play(world, plan.setup, await randomWalk(world, plan, random), { strict: true });

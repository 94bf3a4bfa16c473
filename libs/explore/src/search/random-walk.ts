import {
  apply,
  enabledFaults,
  remainingAfter,
  enabledSteps,
  type Choice,
  close,
  advanceTime,
  play,
  type Played,
  retryIfDisturbed,
} from '../schedule';
import type { Plan } from './execution';
import type { Run } from '../execution';
import type { World } from '../world';

/** A random schedule of a plan: at each point any choice. `random` gives numbers from 0 to 1. */
export function randomWalk(world: World, plan: Plan, random: () => number): Promise<readonly Choice[]> {
  const drawn: number[] = [];
  return retryIfDisturbed(world, plan.setup, (run) => {
    let draws = 0; // a second try draws the same numbers
    return drawChoices(run, plan, () => (drawn[draws++] ??= random()));
  });
}

async function drawChoices(run: Run, plan: Plan, random: () => number): Promise<readonly Choice[]> {
  const choices: Choice[] = [];
  let left = plan.budget;
  for (;;) {
    const steps = enabledSteps(run);
    if (steps.length === 0) {
      if (await advanceTime(run)) continue;
      break;
    }
    const isOver = run.actors.every(({ outcome }) => outcome !== undefined);
    const open = [...steps, ...(isOver ? [] : enabledFaults(run, left, plan.faultPlaces))];
    const choice = open[Math.floor(random() * open.length)] ?? steps[0] ?? '';
    if (!(await apply(run, choice))) break;
    left = remainingAfter(left, choice);
    choices.push(choice);
  }
  await close(run);
  return choices;
}

/** A random schedule, played: with everything that a recipe needs. */
export const playRandom = async (world: World, plan: Plan, random: () => number): Promise<Played> =>
  play(world, plan.setup, await randomWalk(world, plan, random), { strict: true });

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

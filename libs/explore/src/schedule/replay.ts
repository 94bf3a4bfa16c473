import { judgeSchedule, type ScheduleHistory, type ScheduleVerdict } from '#lab/verdict';
import { apply } from './apply';
import { faultOf, enabledSteps, stepOf, type Choice } from './choice';
import { close, advanceTime } from './ending';
import type { Run } from '../execution';
import type { Setup, World } from '../world';
import { checkLetter, strategyHash, type ScheduleToken } from './token';
import { retryIfDisturbed } from './retry-if-disturbed';

/** A schedule that was played. */
export interface Played {
  /** Every choice, those that the recipe left open included. */
  readonly choices: readonly Choice[];
  readonly checks: string;
  readonly history: ScheduleHistory;
  readonly verdict: ScheduleVerdict;
}

/** The code does something else now than when the schedule was found. */
export class NoLongerReproduces extends Error {
  readonly code = 'EXPLORE.NO_LONGER';

  constructor(
    readonly step: number,
    why: string,
  ) {
    super(`no longer reproduces at step ${step}: ${why}`);
    this.name = 'NoLongerReproduces';
  }
}

/**
 * Plays a schedule. Where it ends, the rest is determined: the actor that moved last goes on as far as it can, then
 * the next one, and time passes when nobody can. `strict`: a choice that is not possible, or is about another step
 * than it was, throws `NoLongerReproduces`; otherwise it is left out.
 */
export const play = (
  world: World,
  setup: Setup,
  wanted: readonly Choice[],
  how: { strict: boolean; checks?: string },
): Promise<Played> => retryIfDisturbed(world, setup, (run) => playChoices(run, wanted, how));

async function playChoices(
  run: Run,
  wanted: readonly Choice[],
  { strict, checks: expected = '' }: { strict: boolean; checks?: string },
): Promise<Played> {
  const choices: Choice[] = [];
  let checks = '';
  const make = async (choice: Choice): Promise<boolean> => {
    const letter = checkLetter(describe(run, choice));
    if (!(await apply(run, choice))) return false;
    choices.push(choice);
    checks += letter;
    return true;
  };
  for (const [i, choice] of wanted.entries()) {
    await advanceUntilEnabled(run);
    const was = expected.charAt(i);
    if (strict && was !== '' && was !== checkLetter(describe(run, choice)))
      throw new NoLongerReproduces(i + 1, `"${choice}" is now ${describe(run, choice)}`);
    if (!(await make(choice)) && strict)
      throw new NoLongerReproduces(i + 1, `"${choice}" is not possible any more`);
  }
  while (await advanceUntilEnabled(run)) {
    const open = enabledSteps(run);
    const last = choices.findLast((choice) => open.includes(choice));
    const next = last ?? open[0];
    if (next === undefined || !(await make(next))) break;
  }
  const history = await close(run);
  return { choices, checks, history, verdict: judgeSchedule(history) };
}

/** Plays what a token says, and checks that it still shows what it showed. */
export async function replay(
  world: World,
  recipe: ScheduleToken,
): Promise<Played & { readonly sameCode: boolean }> {
  const { setup, choices, checks, kinds } = recipe;
  const played = await play(world, setup, choices, { strict: true, checks });
  const missing = kinds.find(
    (kind) => !played.verdict.violations.some((violation) => violation.kind === kind),
  );
  if (missing !== undefined)
    throw new NoLongerReproduces(
      played.choices.length,
      `every step is as it was, but there is no ${missing} any more`,
    );
  return { ...played, sameCode: strategyHash(setup.strategy) === recipe.hash };
}

/** The recipe of a schedule that was played. */
export const scheduleTokenOf = (setup: Setup, { choices, checks, verdict }: Played): ScheduleToken => ({
  setup,
  choices,
  checks,
  kinds: [...new Set(verdict.violations.map(({ kind }) => kind))],
  hash: strategyHash(setup.strategy),
});

/** What a choice is about, in words that do not change from run to run. */
function describe(run: Run, choice: Choice): string {
  const step = stepOf(run, choice)?.step;
  if (step === undefined) return faultOf(choice) === undefined ? 'nothing' : choice;
  return `${choice.slice(0, -1)}${step.kind} ${step.script ?? step.verb}`;
}

/** Lets time pass as long as nobody can move. False when nothing will happen any more. */
async function advanceUntilEnabled(run: Run): Promise<boolean> {
  while (enabledSteps(run).length === 0) if (!(await advanceTime(run))) return false;
  return true;
}

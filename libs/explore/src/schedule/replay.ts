import { judgeSchedule, type ScheduleHistory, type ScheduleVerdict } from '#lab/verdict';
import { apply } from './apply';
import { faultOf, enabledSteps, stepOf, type Choice } from './choice';
import { close, advanceTime } from './ending';
import type { Run } from '../execution';
import type { Setup, World } from '../world';
import { checkLetter, strategyHash, type ScheduleToken } from './token';
import { retryIfDisturbed } from './retry-if-disturbed';

/** A schedule that was run. */
export interface Played {
  /** Every choice, including those after the end of the given schedule. */
  readonly choices: readonly Choice[];
  readonly checks: string;
  readonly history: ScheduleHistory;
  readonly verdict: ScheduleVerdict;
}

/** The code behaves differently from when the schedule was found. */
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
 * Runs a schedule. The rest after its end is deterministic: the last actor continues until it blocks or ends, then
 * the next one, and time advances when no step is enabled. `strict`: a choice that is not enabled, or that concerns
 * another step than before, throws `NoLongerReproduces`; otherwise the choice is skipped.
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
      throw new NoLongerReproduces(i + 1, `"${choice}" is no longer enabled`);
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

/** Runs the schedule of a token, and checks that it still shows its violations. */
export async function replay(
  world: World,
  token: ScheduleToken,
): Promise<Played & { readonly sameCode: boolean }> {
  const { setup, choices, checks, kinds } = token;
  const played = await play(world, setup, choices, { strict: true, checks });
  const missing = kinds.find(
    (kind) => !played.verdict.violations.some((violation) => violation.kind === kind),
  );
  if (missing !== undefined)
    throw new NoLongerReproduces(
      played.choices.length,
      `every step is the same, but the schedule no longer shows ${missing}`,
    );
  return { ...played, sameCode: strategyHash(setup.strategy) === token.hash };
}

/** The token data of a schedule that was run. */
export const scheduleTokenOf = (setup: Setup, { choices, checks, verdict }: Played): ScheduleToken => ({
  setup,
  choices,
  checks,
  kinds: [...new Set(verdict.violations.map(({ kind }) => kind))],
  hash: strategyHash(setup.strategy),
});

/** Describes a choice in words that do not change between runs. Tokens contain a hash of them. */
function describe(run: Run, choice: Choice): string {
  const step = stepOf(run, choice)?.step;
  if (step === undefined) return faultOf(choice) === undefined ? 'nothing' : choice;
  return `${choice.slice(0, -1)}${step.kind} ${step.script ?? step.verb}`;
}

/** Advances time until a step is enabled. False when nothing can happen any more. */
async function advanceUntilEnabled(run: Run): Promise<boolean> {
  while (enabledSteps(run).length === 0) if (!(await advanceTime(run))) return false;
  return true;
}

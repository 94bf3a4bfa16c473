import type { ScheduleHistory, ScheduleVerdict } from '#lab/verdict';
import { apply } from './apply';
import { enabledFaults, faultOf, isSame, stepOf, type Choice, type FaultPlaces } from './choice';
import { continuation, drive, type Enabled } from './drive';
import { close } from './ending';
import { choiceText } from './schedule-text';
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
  /** `Run.unobserved`. */
  readonly unobserved?: string | undefined;
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
 * another step than before, throws `NoLongerReproduces`; otherwise the choice is skipped. `faultPlaces`: a fault at
 * another place is not enabled.
 */
export const play = (
  world: World,
  setup: Setup,
  wanted: readonly Choice[],
  how: PlayOptions,
): Promise<Played> => retryIfDisturbed(world, setup, (run) => playChoices(run, wanted, how));

interface PlayOptions {
  readonly strict: boolean;
  readonly checks?: string;
  readonly faultPlaces?: FaultPlaces;
}

async function playChoices(
  run: Run,
  wanted: readonly Choice[],
  { strict, checks: expected = '', faultPlaces = {} }: PlayOptions,
): Promise<Played> {
  const choices: Choice[] = [];
  let checks = '';
  let given = 0;
  const decide = (enabled: Enabled): Choice | undefined => wanted[given] ?? continuation(choices, enabled);
  const perform = async (choice: Choice): Promise<void> => {
    const isGiven = given < wanted.length;
    const was = expected.charAt(given);
    const what = describeChoice(run, choice);
    if (isGiven) given++;
    if (isGiven && strict && was !== '' && was !== checkLetter(what))
      throw new NoLongerReproduces(given, `"${choiceText(choice)}" is now ${what}`);
    if (isAtItsPlace(run, choice, faultPlaces) && (await apply(run, choice))) {
      choices.push(choice);
      checks += checkLetter(what);
    } else if (isGiven && strict)
      throw new NoLongerReproduces(given, `"${choiceText(choice)}" is not enabled`);
  };
  await drive(run, decide, perform);
  const history = await close(run);
  return { choices, checks, history, verdict: run.subject.judge(history), unobserved: run.unobserved };
}

function isAtItsPlace(run: Run, choice: Choice, faultPlaces: FaultPlaces): boolean {
  const fault = faultOf(choice);
  if (fault === undefined || !Object.hasOwn(faultPlaces, fault)) return true;
  return enabledFaults(run, { [fault]: 1 }, faultPlaces).some((one) => isSame(one, choice));
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
export function describeChoice(run: Run, choice: Choice): string {
  const step = stepOf(run, choice)?.step;
  if (step === undefined) return faultOf(choice) === undefined ? 'nothing' : choiceText(choice);
  return `${choiceText(choice).slice(0, -1)}${step.kind} ${step.script ?? step.verb}`;
}

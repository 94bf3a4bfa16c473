import type { ScheduleViolationKind } from '#lab/verdict';
import { faultOf, isSame, type Choice, type FaultPlaces } from './choice';
import { NoLongerReproduces, play, type Played } from './replay';
import { scheduleText } from './schedule-text';
import type { Setup, World } from '../world';

/** Maximum number of candidate schedules that are run. */
const MAX_CANDIDATES = 120;

/**
 * Shrinks a schedule of a plan that shows `kind`: fewest faults, then fewest context switches, then fewest steps. Every
 * candidate is run, once. `signal`: when it is aborted, the shortest schedule so far is returned.
 *
 * @throws NoLongerReproduces when the schedule itself does not show `kind` again.
 */
export async function shrink(
  world: World,
  { setup, faultPlaces }: { readonly setup: Setup; readonly faultPlaces: FaultPlaces },
  choices: readonly Choice[],
  kind: ScheduleViolationKind,
  signal?: AbortSignal,
): Promise<Played> {
  const run = (candidate: readonly Choice[]): Promise<Played> =>
    play(world, setup, candidate, { strict: false, faultPlaces });
  let best = await run(choices);
  if (!shows(best, kind))
    throw new NoLongerReproduces(
      best.choices.length,
      `the schedule showed ${kind} when it was found. The code does something that the explorer does not see`,
    );
  const tried = new Set<string>();
  for (let improved = true; improved;) {
    improved = false;
    for (const candidate of candidates(best.choices)) {
      const text = scheduleText(candidate);
      if (tried.has(text)) continue;
      if (tried.size === MAX_CANDIDATES || signal?.aborted === true) return best;
      tried.add(text);
      const played = await run(candidate);
      if (!shows(played, kind) || !isLess(cost(played.choices), cost(best.choices))) continue;
      best = played;
      improved = true;
      break;
    }
  }
  return best;
}

const shows = ({ verdict }: Played, kind: ScheduleViolationKind): boolean =>
  verdict.violations.some((violation) => violation.kind === kind);

/** The schedule truncated, without one of its choices, or with two neighboring runs of equal choices swapped. */
function* candidates(choices: readonly Choice[]): Generator<Choice[]> {
  for (const [i, choice] of choices.entries())
    if (faultOf(choice) !== undefined) yield choices.toSpliced(i, 1);
  for (let length = 0; length < choices.length; length += 2) yield choices.slice(0, length);
  const runs = groupRuns(choices);
  for (let i = 0; i + 1 < runs.length; i++)
    yield runs.toSpliced(i, 2, runs[i + 1] ?? [], runs[i] ?? []).flat();
  for (const [i, choice] of choices.entries()) {
    const next = choices[i + 1];
    if (next === undefined || !isSame(choice, next)) yield choices.toSpliced(i, 1);
  }
}

/** Groups consecutive equal choices. */
const groupRuns = (choices: readonly Choice[]): Choice[][] =>
  choices.reduce<Choice[][]>((runs, choice) => {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && isSame(last[0], choice)) last.push(choice);
    else runs.push([choice]);
    return runs;
  }, []);

const cost = (choices: readonly Choice[]): readonly number[] => [
  choices.filter((choice) => faultOf(choice) !== undefined).length,
  groupRuns(choices).length,
  choices.length,
];

const isLess = (a: readonly number[], b: readonly number[]): boolean => {
  const i = a.findIndex((value, at) => value !== b[at]);
  return i >= 0 && (a[i] ?? 0) < (b[i] ?? 0);
};

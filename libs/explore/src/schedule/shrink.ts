import type { ScheduleViolationKind } from '#lab/verdict';
import { faultOf, type Choice } from './choice';
import { play, type Played } from './replay';
import type { Setup, World } from '../world';

/** Schedules that are tried at most to make a witness shorter. */
const MOST_TRIES = 120;

/**
 * Makes a schedule that shows `kind` as easy to follow as it gets: fewest faults, then fewest changes from one actor to
 * another, then fewest steps. Every candidate is really played.
 */
export async function shrink(
  world: World,
  setup: Setup,
  choices: readonly Choice[],
  kind: ScheduleViolationKind,
): Promise<Played> {
  let best = await play(world, setup, choices, { strict: false });
  if (!shows(best, kind)) throw new Error(`the schedule does not show ${kind} again: ${choices.join('')}`);
  let tries = 0;
  for (let improved = true; improved && tries < MOST_TRIES;) {
    improved = false;
    for (const candidate of candidates(best.choices)) {
      if (++tries > MOST_TRIES) break;
      const played = await play(world, setup, candidate, { strict: false });
      if (!shows(played, kind) || !less(cost(played.choices), cost(best.choices))) continue;
      best = played;
      improved = true;
      break;
    }
  }
  return best;
}

const shows = ({ verdict }: Played, kind: ScheduleViolationKind): boolean =>
  verdict.violations.some((violation) => violation.kind === kind);

/** The schedule cut off somewhere, without one of its choices, or with two neighbouring stretches exchanged. */
function* candidates(choices: readonly Choice[]): Generator<Choice[]> {
  for (const [i, choice] of choices.entries())
    if (faultOf(choice) !== undefined) yield choices.toSpliced(i, 1);
  for (let length = 0; length < choices.length; length += 2) yield choices.slice(0, length);
  const stretches = split(choices);
  for (let i = 0; i + 1 < stretches.length; i++)
    yield stretches.toSpliced(i, 2, stretches[i + 1] ?? [], stretches[i] ?? []).flat();
  for (let i = 0; i < choices.length; i++) if (choices[i] !== choices[i + 1]) yield choices.toSpliced(i, 1);
}

/** Consecutive equal choices together. */
const split = (choices: readonly Choice[]): Choice[][] =>
  choices.reduce<Choice[][]>((stretches, choice) => {
    const last = stretches.at(-1);
    if (last?.[0] === choice) last.push(choice);
    else stretches.push([choice]);
    return stretches;
  }, []);

const cost = (choices: readonly Choice[]): readonly number[] => [
  choices.filter((choice) => faultOf(choice) !== undefined).length,
  split(choices).length,
  choices.length,
];

const less = (a: readonly number[], b: readonly number[]): boolean => {
  const i = a.findIndex((value, at) => value !== b[at]);
  return i >= 0 && (a[i] ?? 0) < (b[i] ?? 0);
};

import { isArrival } from '../actors';
import type { ScheduleHistory } from '#lab/verdict';

/**
 * True when two actors overlapped: one waited, or resumed after a step of another. Actors with a single step cannot overlap:
 * theirs met when it was on the same key.
 */
export function isContended({ events }: ScheduleHistory): boolean {
  const steps = events.flatMap((event) => (event.type === 'step' && !isArrival(event) ? [event] : []));
  const line = steps.map(({ actor }) => actor);
  const runs = line.filter((actor, i) => actor !== line[i - 1]);
  const waited = events.some((event) => event.type === 'step' && event.delayed === true);
  return waited || runs.length > new Set(runs).size || isOneStepEach(steps);
}

/** Several actors, each with one step, on one key. */
function isOneStepEach(steps: readonly { readonly actor: string; readonly key?: string }[]): boolean {
  const keys = new Set(steps.map(({ key }) => key));
  const actors = new Set(steps.map(({ actor }) => actor));
  return keys.size === 1 && !keys.has(undefined) && actors.size > 1 && actors.size === steps.length;
}

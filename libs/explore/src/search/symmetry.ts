import type { Actor } from '../actors';
import type { Run } from '../execution';
import { nameTokens, type Choice } from '../schedule';
import { Past, stateOfActor } from './state';

/**
 * The choices without those that only exchange two actors: where two actors are interchangeable, every schedule that continues
 * with a choice of the second one is, with their names exchanged, a schedule that continues with the same choice of the first
 * one. (Symmetry reduction: Clarke, Enders, Filkorn and Jha, "Exploiting symmetry in temporal logic model checking", 1996.)
 */
export function withoutTwins(run: Run, choices: readonly Choice[]): readonly Choice[] {
  const twins = twinsIn(run);
  if (twins.size === 0) return choices;
  return choices.filter((choice) => {
    if ('actor' in choice) return !twins.has(choice.actor);
    const process = 'process' in choice ? run.processes[choice.process - 1] : undefined;
    return (
      process === undefined || !run.actors.some((actor) => actor.process === process && twins.has(actor.name))
    );
  });
}

/** The actors of a run that have written their name, or their process: they have no twin in the rest of its schedule. */
const distinct = new WeakMap<Run, Set<string>>();

/** The actors that are interchangeable with one before them. */
function twinsIn(run: Run): ReadonlySet<string> {
  const { areAlike } = run.subject;
  const twins = new Set<string>();
  if (areAlike === undefined) return twins;
  const known = distinct.get(run) ?? new Set();
  distinct.set(run, known);
  if (known.size > run.actors.length - 2) return twins;
  const past = Past.of(run);
  for (const { name } of run.actors) if (past.hasWritten(name)) known.add(name);
  const states = run.actors.map((actor) => (known.has(actor.name) ? undefined : ownState(run, past, actor)));
  run.actors.forEach((actor, i) => {
    const isTwin = run.actors.some(
      (first, j) => j < i && states[i] !== undefined && states[i] === states[j] && areAlike(j, i),
    );
    if (isTwin) twins.add(actor.name);
  });
  return twins;
}

/**
 * All that a schedule says of an actor, without names. Undefined: something besides the actor may depend on its name, or it
 * shares its process.
 */
function ownState(run: Run, past: Past, actor: Actor): string | undefined {
  const { name, process } = actor;
  const isNamed =
    past.isWaiting(name) ||
    run.locks.states().some(({ owner }) => owner === name) ||
    run.clock.timersInOrder.some((timer) => timer.actor === name) ||
    run.sharesProcess(actor);
  if (isNamed) return undefined;
  const { alive, paused, cut, sessionEnded } = process;
  const state = JSON.stringify([alive, paused, cut, sessionEnded, stateOfActor(run, past, actor)]);
  const ownNames = new RegExp(String.raw`\b(?:${name}|${process.name})\b`, 'g');
  return nameTokens(state.replace(ownNames, 'own'));
}

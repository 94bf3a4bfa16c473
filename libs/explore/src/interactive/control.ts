import { FAULTS, type FaultName } from '#lab/strategy';
import { isWaiting, type Actor, type ActorProcess } from '../actors';
import type { Run } from '../execution';
import type { Budget } from '../faults';
import { enabledFaults, enabledSteps, isSame, type ActorChoice, type Choice } from '../schedule';

/** Why a choice is not enabled. */
export type DisabledReason =
  | { readonly code: 'over' }
  | { readonly code: 'ended'; readonly outcome: string }
  | { readonly code: 'died' }
  | { readonly code: 'not-begun' }
  /** Its statement waits in the database; `by`: the other actors with a transaction or a named lock. */
  | { readonly code: 'blocked'; readonly statement: string; readonly by: readonly string[] }
  /** The mutex of its process is locked. */
  | { readonly code: 'mutex'; readonly key: string }
  /** It waits until the lock changes; `by`: its owner. */
  | { readonly code: 'waiting'; readonly key: string; readonly by: readonly string[] }
  /** It waits in memory for another request of its process. */
  | { readonly code: 'idle' }
  | { readonly code: 'no-lease' }
  | { readonly code: 'no-timer' }
  | { readonly code: 'no-session' }
  | { readonly code: 'no-work' }
  | { readonly code: 'nothing-stored' }
  | { readonly code: 'already' };

/** A choice that a person may make now, or why not. */
export interface Control {
  readonly choice: Choice;
  /** Absent: the choice is enabled. */
  readonly disabled?: DisabledReason;
}

/** No limit in practice: a person may inject every fault at every step. */
const UNLIMITED: Budget = Object.fromEntries((Object.keys(FAULTS) as FaultName[]).map((fault) => [fault, 9]));

const ACTOR_FAULTS = ['error', 'lose-reply', 'in-flight', 'slow', 'overrun'] as const;
const PROCESS_FAULTS = ['kill', 'host-down', 'pause', 'cut', 'lost-session'] as const;

/** Every choice that can concern this run, enabled or not: steps, then faults of actors, processes, time and servers. */
export function controlsOf(run: Run, isOver: boolean): Control[] {
  const enabled = isOver ? [] : [...enabledSteps(run), ...enabledFaults(run, UNLIMITED, {})];
  const control = (choice: Choice, why: () => DisabledReason): Control =>
    enabled.some((other) => isSame(other, choice))
      ? { choice }
      : { choice, disabled: isOver ? { code: 'over' } : why() };
  const ofActor = (actor: Actor, kind: ActorChoice['kind']): Control =>
    control({ kind, actor: actor.name }, () => whyActor(run, actor, kind));
  return [
    ...run.actors.flatMap((actor) => [
      ofActor(actor, 'step'),
      ...(actor.tasks.slice(1).some(({ held }) => held.length > 0) ? [ofActor(actor, 'timer-step')] : []),
      ...(actor.orphanedStep === undefined ? [] : [ofActor(actor, 'arrival')]),
    ]),
    ...run.actors.flatMap((actor) => ACTOR_FAULTS.map((kind) => ofActor(actor, kind))),
    ...run.processes.flatMap((process, i) =>
      PROCESS_FAULTS.map((kind) => control({ kind, process: i + 1 }, () => whyProcess(run, process, kind))),
    ),
    control({ kind: 'lapse' }, () => ({ code: 'no-lease' })),
    control({ kind: 'tick' }, () => ({ code: 'no-timer' })),
    control({ kind: 'flush' }, () => ({ code: 'nothing-stored' })),
    ...run.ownRedises.flatMap((_, i) => [
      control({ kind: 'flush', server: i + 1 }, () => ({ code: 'nothing-stored' })),
      control({ kind: 'server-down', server: i + 1 }, () => ({ code: 'already' })),
    ]),
  ];
}

function whyActor(run: Run, actor: Actor, kind: ActorChoice['kind']): DisabledReason {
  if (!actor.process.alive) return { code: 'died' };
  if (actor.outcome !== undefined) return { code: 'ended', outcome: actor.outcome };
  const [task] = actor.tasks;
  const blocked = [...(task?.inFlightSteps ?? [])].find((inFlightStep) => inFlightStep.blocked);
  if (blocked !== undefined)
    return { code: 'blocked', statement: blocked.step.text, by: holdersInDatabase(run, actor) };
  const held = task?.held[0];
  if (held === undefined) return { code: 'idle' };
  const { step } = held;
  if (!run.isEnabled(held) && step.key !== undefined) {
    if (step.kind === 'local') return { code: 'mutex', key: step.key };
    if (isWaiting(step)) return waitingFor(run, step.key);
  }
  if (kind === 'in-flight' && task?.begun !== true) return { code: 'not-begun' };
  if (kind === 'overrun') return { code: 'no-timer' };
  return { code: 'no-work' };
}

/** Other actors whose transactions or named locks in the database may block a statement. */
const holdersInDatabase = (run: Run, actor: Actor): string[] =>
  run.actors
    .filter((other) => other !== actor && other.holdings.transactions.size + other.holdings.names.size > 0)
    .map(({ name }) => name);

function waitingFor(run: Run, key: string): DisabledReason {
  const by = run.locks.states().find((lock) => lock.key === key || lock.key.endsWith(` ${key}`))?.owner;
  return { code: 'waiting', key, by: by === undefined ? [] : [by] };
}

function whyProcess(run: Run, process: ActorProcess, kind: (typeof PROCESS_FAULTS)[number]): DisabledReason {
  if (!process.alive) return { code: 'died' };
  const members = run.actorsOf(process);
  const running = members.find(({ outcome }) => outcome === undefined);
  if (running === undefined) return { code: 'ended', outcome: members[0]?.outcome ?? '' };
  if (kind === 'cut' && process.cut) return { code: 'already' };
  if (!members.some((actor) => actor.tasks[0]?.begun === true)) return { code: 'not-begun' };
  const waiting = kind === 'host-down' ? members.find(({ blocked }) => blocked) : undefined;
  return waiting === undefined ? { code: 'no-session' } : whyActor(run, waiting, 'step');
}

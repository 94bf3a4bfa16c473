import type { HistoryLine, StepLine } from '#lab/step';
import { acquired, orderedLockSteps, released } from './holders';

/** A cycle in the wait-for graph: each waiter's lock is held by the next waiter, the last one's by the first. */
export interface DeadlockCycle {
  readonly waiters: readonly { readonly request: string; readonly waitsFor: string }[];
}

interface Wait {
  readonly key: string;
  /** The death of the waiter's process, which ends the wait; microseconds. */
  readonly until: number;
}

/**
 * Finds deadlocks of locks in Redis, in the order of the server's commands. A failed attempt shows that the key has a
 * holder: the request that acquired it last and has not released it.
 */
export function findDeadlockCycles(history: readonly HistoryLine[]): readonly DeadlockCycle[] {
  const deaths = deathsOf(history);
  const owners = new Map<string, string>();
  const waits = new Map<string, Wait>();
  const cycles = new Map<string, DeadlockCycle>();
  for (const step of orderedLockSteps(history)) {
    const { key, request, t } = step;
    if (failedToAcquire(step)) {
      waits.set(request, { key, until: deaths.get(processOf(step)) ?? Infinity });
      const waiters = cycleFrom(request, owners, (other) => {
        const wait = waits.get(other);
        return wait !== undefined && wait.until > t ? wait.key : undefined;
      });
      if (waiters !== undefined && !cycles.has(cycleId(waiters))) cycles.set(cycleId(waiters), { waiters });
      continue;
    }
    waits.delete(request);
    if (acquired(step)) owners.set(key, request);
    else if (released(step)) owners.delete(key);
  }
  return [...cycles.values()];
}

const failedToAcquire = ({ verb, script, reply }: StepLine): boolean =>
  (verb === 'SET' || verb === 'SETNX' || script?.startsWith('acquire') === true) &&
  (reply === null || reply === 0);

function cycleFrom(
  start: string,
  owners: ReadonlyMap<string, string>,
  keyWaitedFor: (request: string) => string | undefined,
): DeadlockCycle['waiters'] | undefined {
  const waiters: { request: string; waitsFor: string }[] = [];
  for (let request = start; ;) {
    const waitsFor = keyWaitedFor(request);
    const owner = waitsFor === undefined ? undefined : owners.get(waitsFor);
    if (waitsFor === undefined || owner === undefined) return undefined;
    waiters.push({ request, waitsFor });
    if (owner === start) return waiters.length > 1 ? waiters : undefined;
    if (waiters.some((waiter) => waiter.request === owner)) return undefined;
    request = owner;
  }
}

/** An id of the cycle that does not depend on its first waiter. */
const cycleId = (waiters: DeadlockCycle['waiters']): string =>
  waiters
    .map(({ request }) => request)
    .toSorted()
    .join(' ');

const processOf = ({ replica, pid }: HistoryLine): string => `${replica} ${pid}`;

/** The time of death of each process, microseconds. */
const deathsOf = (history: readonly HistoryLine[]): ReadonlyMap<string, number> =>
  new Map(
    history.flatMap((line) =>
      line.type === 'exit' || (line.type === 'fault' && line.action === 'kill')
        ? [[processOf(line), line.t] as const]
        : [],
    ),
  );

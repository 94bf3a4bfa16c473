import type { HistoryLine } from '#lab/step';
import { cycleFrom } from '../wait-for-cycle';
import { acquired, failedToAcquire, orderedLockSteps, released } from './holders';

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
      const waitsFor = (other: string): string | undefined => {
        const wait = waits.get(other);
        return wait !== undefined && wait.until > t ? wait.key : undefined;
      };
      const waiters = cycleFrom(request, (other) => owners.get(waitsFor(other) ?? ''))?.map((other) => ({
        request: other,
        waitsFor: waitsFor(other) ?? '',
      }));
      if (waiters !== undefined && !cycles.has(cycleId(waiters))) cycles.set(cycleId(waiters), { waiters });
      continue;
    }
    waits.delete(request);
    if (acquired(step)) owners.set(key, request);
    else if (released(step)) owners.delete(key);
  }
  return [...cycles.values()];
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

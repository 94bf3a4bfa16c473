import type { HistoryLine, StepLine } from '#lab/step';
import { acquired, orderedLockSteps, released } from './holders';

/** Requests of which each held a lock that the one before it waited for, the last one's holder being the first. */
export interface DeadlockCycle {
  readonly waiters: readonly { readonly request: string; readonly waitsFor: string }[];
}

interface Want {
  readonly key: string;
  /** It waits no longer than its process lives: microseconds. */
  readonly until: number;
}

/**
 * Dead-locks between locks in Redis, in the server's own order: a try in vain shows that somebody has the key, and that is
 * whoever took it last and has not given it back.
 */
export function findDeadlockCycles(history: readonly HistoryLine[]): readonly DeadlockCycle[] {
  const deaths = deathsOf(history);
  const owners = new Map<string, string>();
  const wants = new Map<string, Want>();
  const circles = new Map<string, DeadlockCycle>();
  for (const step of orderedLockSteps(history)) {
    const { key, request, t } = step;
    if (triedInVain(step)) {
      wants.set(request, { key, until: deaths.get(processOf(step)) ?? Infinity });
      const waiters = circleFrom(request, owners, (other) => {
        const want = wants.get(other);
        return want !== undefined && want.until > t ? want.key : undefined;
      });
      if (waiters !== undefined && !circles.has(nameOf(waiters))) circles.set(nameOf(waiters), { waiters });
      continue;
    }
    wants.delete(request);
    if (acquired(step)) owners.set(key, request);
    else if (released(step)) owners.delete(key);
  }
  return [...circles.values()];
}

const triedInVain = ({ verb, script, reply }: StepLine): boolean =>
  (verb === 'SET' || verb === 'SETNX' || script?.startsWith('acquire') === true) &&
  (reply === null || reply === 0);

function circleFrom(
  start: string,
  owners: ReadonlyMap<string, string>,
  wanted: (request: string) => string | undefined,
): DeadlockCycle['waiters'] | undefined {
  const waiters: { request: string; waitsFor: string }[] = [];
  for (let request = start; ;) {
    const waitsFor = wanted(request);
    const owner = waitsFor === undefined ? undefined : owners.get(waitsFor);
    if (waitsFor === undefined || owner === undefined) return undefined;
    waiters.push({ request, waitsFor });
    if (owner === start) return waiters.length > 1 ? waiters : undefined;
    if (waiters.some((waiter) => waiter.request === owner)) return undefined;
    request = owner;
  }
}

/** A circle is the same wherever one enters it. */
const nameOf = (waiters: DeadlockCycle['waiters']): string =>
  waiters
    .map(({ request }) => request)
    .toSorted()
    .join(' ');

const processOf = ({ replica, pid }: HistoryLine): string => `${replica} ${pid}`;

/** When processes died. */
const deathsOf = (history: readonly HistoryLine[]): ReadonlyMap<string, number> =>
  new Map(
    history.flatMap((line) =>
      line.type === 'exit' || (line.type === 'fault' && line.action === 'kill')
        ? [[processOf(line), line.t] as const]
        : [],
    ),
  );

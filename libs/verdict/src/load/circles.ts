import type { HistoryLine } from '#lab/step';
import { acquired, orderedLockSteps, released } from './holders';

/** Requests of which each held a lock that the one before it waited for, the last one's holder being the first. */
export interface Circle {
  readonly waiters: readonly { readonly request: string; readonly waitsFor: string }[];
}

/**
 * Dead-locks between locks in Redis, in the server's own order: a try in vain shows that somebody has the key, and that is
 * whoever took it last and has not given it back.
 */
export function findCircles(history: readonly HistoryLine[]): readonly Circle[] {
  const owners = new Map<string, string>();
  const wants = new Map<string, string>();
  const circles = new Map<string, Circle>();
  for (const step of orderedLockSteps(history)) {
    const { key, request } = step;
    if (acquired(step)) {
      owners.set(key, request);
      wants.delete(request);
    } else if (released(step)) {
      owners.delete(key);
      wants.delete(request);
    } else if (triedInVain(step)) {
      wants.set(request, key);
      const waiters = circleFrom(request, owners, wants);
      if (waiters !== undefined && !circles.has(nameOf(waiters))) circles.set(nameOf(waiters), { waiters });
    } else wants.delete(request);
  }
  return [...circles.values()];
}

const triedInVain = ({ verb, script, reply }: ReturnType<typeof orderedLockSteps>[number]): boolean =>
  (verb === 'SET' || verb === 'SETNX' || script?.startsWith('acquire') === true) &&
  (reply === null || reply === 0);

function circleFrom(
  start: string,
  owners: ReadonlyMap<string, string>,
  wants: ReadonlyMap<string, string>,
): Circle['waiters'] | undefined {
  const waiters: { request: string; waitsFor: string }[] = [];
  for (let request = start; ;) {
    const waitsFor = wants.get(request);
    const owner = waitsFor === undefined ? undefined : owners.get(waitsFor);
    if (waitsFor === undefined || owner === undefined) return undefined;
    waiters.push({ request, waitsFor });
    if (owner === start) return waiters.length > 1 ? waiters : undefined;
    if (waiters.some((waiter) => waiter.request === owner)) return undefined;
    request = owner;
  }
}

/** A circle is the same wherever one enters it. */
const nameOf = (waiters: Circle['waiters']): string =>
  waiters
    .map(({ request }) => request)
    .toSorted()
    .join(' ');

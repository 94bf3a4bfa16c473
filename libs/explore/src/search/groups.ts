import { ACTOR_NAMES, type Setup } from '../world';
import { dependent, type Footprint } from './footprint';

/** The actors in groups: carts of different groups have no balance in common. */
export function groupsOf({ processes, carts }: Pick<Setup, 'processes' | 'carts'>): readonly Group[] {
  const actors = new Set<string>(ACTOR_NAMES.slice(0, processes.length));
  if (carts === undefined) return [actors];
  let groups: { readonly actors: Group; readonly balances: ReadonlySet<string> }[] = [];
  [...actors].forEach((actor, i) => {
    const cart = carts[i] ?? [];
    const joined = groups.filter(({ balances }) => cart.some((balance) => balances.has(balance)));
    groups = groups.filter((group) => !joined.includes(group));
    groups.push({
      actors: new Set([...joined.flatMap((group) => [...group.actors]), actor]),
      balances: new Set([...joined.flatMap((group) => [...group.balances]), ...cart]),
    });
  });
  return groups.map((group) => group.actors);
}

export type Group = ReadonlySet<string>;

/** A step of one group depends on a step of another one. */
export const areDependent = (groups: readonly Group[], steps: readonly Footprint[]): boolean =>
  steps.some(({ actor, accesses }, i) => {
    const group = groups.find((one) => one.has(actor ?? ''));
    return steps
      .slice(0, i)
      .some(
        (earlier) => group?.has(earlier.actor ?? '') === false && dependent(earlier, { actor, accesses }),
      );
  });

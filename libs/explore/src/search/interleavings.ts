import type { Run } from '../execution';
import type { Choice, Enabled } from '../schedule';
import { dependent, type Footprint } from './footprint';

/** A choice of a schedule. */
interface MadeChoice {
  readonly footprint: Footprint;
  /** Position of the choice of another actor that enabled this one: it ended a wait for a lock. -1: none. */
  readonly enabledAt: number;
  /** Position of the last choice before time advanced: time advances only when no other choice is left. -1: none. */
  readonly timeAfter: number;
}

/** Follows a schedule, and counts the interleavings that it stands for. */
export class InterleavingCounter {
  private readonly made: MadeChoice[] = [];
  private last: Choice | undefined;
  private enabled: ReadonlySet<string> | undefined;
  private readonly enabledAt = new Map<string, number>();
  private timeAfter = -1;

  /** Called before each choice, with what is enabled. */
  look({ eventLog }: Run, { steps }: Enabled): void {
    const position = this.made.length - 1;
    const enabled = new Set(steps.map(({ actor }) => actor));
    const own = this.last !== undefined && 'actor' in this.last ? this.last.actor : undefined;
    for (const actor of enabled)
      if (this.enabled?.has(actor) === false && actor !== own) this.enabledAt.set(actor, position);
    this.enabled = enabled;
    if (eventLog.events.at(-1)?.type === 'time') this.timeAfter = position;
  }

  /** Called with the choice that is made now. */
  note(choice: Choice, footprint: Footprint): void {
    this.last = choice;
    this.made.push({
      footprint,
      enabledAt: ('actor' in choice ? this.enabledAt.get(choice.actor) : undefined) ?? -1,
      timeAfter: this.timeAfter,
    });
  }

  /** The number of interleavings that are equivalent to the schedule, including itself. */
  count(): number {
    return countInterleavings(this.made);
  }
}

/**
 * The number of interleavings that are equivalent to a schedule: the orders of its choices in which every two dependent
 * choices keep their order. A reduced search runs one schedule of each such class, so the numbers of all its schedules add
 * up to the number of all interleavings.
 *
 * Choices that are dependent on each other in pairs form a chain, for example the steps of one actor. How far each chain has
 * come is the state; the number of ways from a state to the end is the sum over the chains that can move.
 */
function countInterleavings(made: readonly MadeChoice[]): number {
  const chains = chainsOf(made.map(({ footprint }) => footprint));
  const before = made.map(({ footprint, enabledAt, timeAfter }, i) =>
    made.flatMap((earlier, j) =>
      j < i && (j === enabledAt || j <= timeAfter || dependent(earlier.footprint, footprint)) ? [j] : [],
    ),
  );
  const ways = new Map<string, number>();
  const from = (done: readonly number[]): number => {
    const state = done.join();
    const known = ways.get(state);
    if (known !== undefined) return known;
    const over = new Set(chains.flatMap((chain, c) => chain.slice(0, done[c])));
    let total = over.size === made.length ? 1 : 0;
    chains.forEach((chain, c) => {
      const next = chain[done[c] ?? 0];
      if (next === undefined || before[next]?.every((earlier) => over.has(earlier)) !== true) return;
      total += from(done.map((n, i) => (i === c ? n + 1 : n)));
    });
    ways.set(state, total);
    return total;
  };
  return from(chains.map(() => 0));
}

/** Positions of the choices, in chains of which every two members are dependent. */
function chainsOf(footprints: readonly Footprint[]): number[][] {
  const chains: number[][] = [];
  footprints.forEach((one, i) => {
    const chain = chains.find((members) =>
      members.every((member) => {
        const other = footprints[member];
        return other !== undefined && dependent(other, one);
      }),
    );
    if (chain === undefined) chains.push([i]);
    else chain.push(i);
  });
  return chains;
}

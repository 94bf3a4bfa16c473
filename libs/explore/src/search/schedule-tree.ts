import { createHash } from 'node:crypto';
import { choiceText, isSame, remainingAfter, type Choice } from '../schedule';
import { isSpent } from '../faults';
import { ACTOR_NAMES } from '../world';
import type { Plan, Subtree } from './execution';
import { dependent, type Footprint } from './footprint';
import { groupsOf, type Group } from './groups';
import type { Decision, Path } from './path';
import { isAsleep } from './reduction';

/** A choice with its footprint. */
interface Move {
  readonly choice: Choice;
  readonly footprint: Footprint;
}

/** A move that was made. Its level is one more than the highest level of the moves before it on which it depends. */
interface Made extends Move {
  readonly level: number;
  readonly before: Made | undefined;
}

/** A beginning of schedules: an equivalence class of sequences of choices, as their Foata normal form. */
interface Beginning {
  /** Sum of the hashes of its moves and their levels: the same for each order of equivalent moves. */
  readonly key: bigint;
  readonly last: Made | undefined;
  /** Undefined: no schedule of the search has exactly these choices. */
  decision: Decision | undefined;
  /** The choices that were made here, and where each leads. */
  readonly next: (Move & { readonly to: Beginning })[];
}

/** Faults after which every living actor can do what it could do before. */
const CHANGES_NO_STEP: ReadonlySet<Choice['kind']> = new Set([
  'kill',
  'cut',
  'lapse',
  'flush',
  'server-down',
] as const);

/** Choices after which the code of their actor runs. */
const CONTINUES_ACTOR: ReadonlySet<Choice['kind']> = new Set(['step', 'error', 'lose-reply'] as const);

/**
 * The schedules that a search has run: what every actor did after each beginning. It shows of some subtrees that they are redundant,
 * before they are run.
 */
export class ScheduleTree {
  /** By their keys. */
  private readonly beginnings = new Map<bigint, Beginning>();
  private readonly root = this.at(0n, undefined);
  /** One object for many equal ones. */
  private readonly shared = new Map<string, unknown>();

  private readonly groups: readonly Group[];

  constructor(private readonly plan: Pick<Plan, 'budget' | 'setup'>) {
    this.groups = groupsOf(plan.setup);
  }

  /** Adds a schedule. The choices before `path.from` are known. */
  add(choices: readonly Choice[], { from, decisions, footprints }: Path): void {
    let beginning = this.find(choices.slice(0, from));
    for (const [i, decision] of decisions.entries()) {
      if (beginning === undefined) return;
      beginning.decision ??= this.share(decision);
      const [choice, footprint] = [choices[from + i], footprints[i]];
      if (choice === undefined || footprint === undefined) return;
      beginning = nextOf(beginning, choice) ?? this.extend(beginning, choice, footprint);
    }
  }

  /**
   * The subtree need not be run: the actor of its last choice takes all its steps while all others sleep, and then only sleeping
   * choices are left. False: not known.
   */
  isRedundant({ prefix, sleepSet, isGroupwise }: Omit<Subtree, 'share'>): boolean {
    const choice = prefix.at(-1);
    if (choice === undefined || sleepSet.length === 0 || this.faultsAreLeft(prefix)) return false;
    const before = this.find(prefix.slice(0, -1));
    if (before?.decision === undefined || before.decision.isPaused) return false;
    if (isGroupwise && this.hasSleepingGroup(before.decision, choice, sleepSet)) return true;
    const others = this.othersAfter(before.decision, choice);
    const asleep = others.map((actor) => sleepSet.find((one) => isSame(one.choice, stepOfActor(actor))));
    if (others.length === 0 || asleep.includes(undefined)) return false;
    const own = stepsToEnd(before, choice);
    return own !== undefined && asleep.every((one) => one !== undefined && isIndependent(one.footprint, own));
  }

  /** A group besides that of the choice has steps after it, and all of them sleep. */
  private hasSleepingGroup(decision: Decision, choice: Choice, sleepSet: readonly Move[]): boolean {
    if (!CONTINUES_ACTOR.has(choice.kind) || !('actor' in choice)) return false;
    return this.groups.some((group) => {
      if (group.has(choice.actor)) return false;
      const statuses = [...group].map((actor) => [actor, decision.statuses[actor]] as const);
      const enabled = statuses.filter(([, status]) => status === 'enabled');
      return (
        enabled.length > 0 &&
        enabled.every(([actor]) => isAsleep(sleepSet, stepOfActor(actor))) &&
        statuses.every(([, status]) => status !== 'other')
      );
    });
  }

  private faultsAreLeft(choices: readonly Choice[]): boolean {
    return !isSpent(choices.reduce(remainingAfter, this.plan.budget));
  }

  /** The actors, besides that of the choice, whose steps are enabled after it. None: not known. */
  private othersAfter({ statuses }: Decision, choice: Choice): readonly string[] {
    const others = Object.entries(statuses).filter(
      ([actor]) => !('actor' in choice && choice.actor === actor) && !this.isKilled(actor, choice),
    );
    if (others.some(([, status]) => status !== 'enabled' && status !== 'over')) return [];
    return others.filter(([, status]) => status === 'enabled').map(([actor]) => actor);
  }

  private isKilled(actor: string, choice: Choice): boolean {
    const { processes } = this.plan.setup;
    if (choice.kind !== 'kill') return false;
    const killed = [...new Set(processes)][choice.process - 1];
    return processes[ACTOR_NAMES.findIndex((name) => name === actor)] === killed;
  }

  private find(choices: readonly Choice[]): Beginning | undefined {
    let beginning: Beginning | undefined = this.root;
    for (const choice of choices) beginning = beginning && nextOf(beginning, choice);
    return beginning;
  }

  private extend(beginning: Beginning, choice: Choice, footprint: Footprint): Beginning {
    const move = { choice: this.share(choice), footprint: this.share(footprint) };
    const to = this.after(beginning, move);
    beginning.next.push({ ...move, to });
    return to;
  }

  private after({ key, last, decision }: Beginning, move: Move): Beginning {
    let level = 1;
    for (let made = last; made !== undefined; made = made.before)
      if (decision?.isLater === true || dependent(made.footprint, move.footprint))
        level = Math.max(level, made.level + 1);
    const hash = hashOf(`${level}${choiceText(move.choice)}`);
    return this.at(BigInt.asUintN(HASH_BITS, key + hash), { ...move, level, before: last });
  }

  private at(key: bigint, last: Made | undefined): Beginning {
    const known = this.beginnings.get(key);
    if (known !== undefined) return known;
    const beginning: Beginning = { key, last, decision: undefined, next: [] };
    this.beginnings.set(key, beginning);
    return beginning;
  }

  private share<T>(value: T): T {
    const text = JSON.stringify(value);
    const known = this.shared.get(text);
    if (known === undefined) this.shared.set(text, value);
    return (known as T | undefined) ?? value;
  }
}

/** Of a SHA-1: the keys of two beginnings are never equal by accident. */
const HASH_BITS = 160;

const hashOf = (text: string): bigint => BigInt(`0x${createHash('sha1').update(text).digest('hex')}`);

const stepOfActor = (actor: string): Choice => ({ kind: 'step', actor });

const nextOf = ({ next }: Beginning, choice: Choice): Beginning | undefined =>
  next.find((one) => isSame(one.choice, choice))?.to;

const isIndependent = (one: Footprint, others: readonly Footprint[]): boolean =>
  !others.some((other) => dependent(one, other));

/**
 * The choice and what its actor does after it, to its end, or until it waits for a lock. Undefined: not known, or the code of
 * other actors runs as well.
 *
 * The tree may contain these steps after steps of the others: when each of them is independent of those, the actor receives
 * the same replies without them.
 */
function stepsToEnd(before: Beginning, choice: Choice): readonly Footprint[] | undefined {
  if (CHANGES_NO_STEP.has(choice.kind)) return [];
  if (!CONTINUES_ACTOR.has(choice.kind) || !('actor' in choice)) return undefined;
  const { actor } = choice;
  const search = (
    { decision, next }: Beginning,
    own: readonly Footprint[],
    ofOthers: readonly Footprint[],
  ): readonly Footprint[] | undefined => {
    const status = decision?.statuses[actor];
    if (own.length > 0 && status !== 'enabled') {
      const isLast = typeof status === 'object' ? isIndependent(status, ofOthers) : status !== 'other';
      return isLast ? own : undefined;
    }
    for (const { choice: made, footprint, to } of next) {
      const isOwn = 'actor' in made && made.actor === actor;
      const expected = isOwn && own.length === 0 ? choice.kind : 'step';
      if (made.kind !== expected || to.decision?.isLater !== false) continue;
      if (isOwn && !isIndependent(footprint, ofOthers)) continue;
      const found = isOwn
        ? search(to, [...own, footprint], ofOthers)
        : search(to, own, [...ofOthers, footprint]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(before, [], []);
}

import { seeded } from '#lab/explore';
import type { Component } from '#lab/step';
import { findStrategy, type Strategy } from '#lab/strategy';
import { ALL_KINDS, eligible, ENDS_LEASES, KILLS, LOSES_PARTS, TAKES_TIME, type Kind } from './kinds';

/** A fault at its time. */
export interface PlannedFault {
  /** Milliseconds since the minute began. */
  readonly at: number;
  readonly kind: string;
  /** The balance whose next buyer carries it, and its `x-fault`; absent: it hits a server. */
  readonly carried?: { readonly balance: number; readonly header: string };
  /** Whom it hits, and for how many milliseconds; absent: a buyer carries it. */
  readonly server?: { readonly target: string; readonly ms: number };
}

/** A balance that is sold during a minute, again and again from its first unit to its last. */
export interface PlannedBalance {
  readonly strategy: string;
  readonly stock: number;
  readonly buyers: number;
  readonly options: {
    readonly leaseMs: number;
    readonly waitMs: number;
    readonly workMs: number;
    readonly retryMs: number;
  };
}

export interface PlannedMinute {
  readonly number: number;
  readonly seconds: number;
  readonly kinds: readonly Kind[];
  readonly balances: readonly PlannedBalance[];
  readonly faults: readonly PlannedFault[];
}

/** What a soak will do: the same for the same seed, length and servers. */
export interface SoakPlan {
  readonly seed: number;
  readonly components: readonly Component[];
  /** Every kind of fault must fire so often while locks are contended. */
  readonly least: number;
  readonly kinds: readonly Kind[];
  readonly minutes: readonly PlannedMinute[];
}

export interface SoakOptions {
  readonly seed: number;
  /** May be a fraction: 0.2 is one short minute. */
  readonly minutes: number;
  readonly components: readonly Component[];
}

/** From so many minutes on, each kind of fault must fire five times. */
const LONG = 5;
/** So many groups of kinds take turns; a shorter soak has all kinds at once, but for those of servers on demand. */
const TURNS = 3;
const MOST_BALANCES = 6;
const BUYERS = 4;
/** Nothing fires in the first and in the last part of a minute: buyers must be there, and come to rest. */
const QUIET_AT_FIRST = 0.04;
const QUIET_AT_LAST = 0.12;

export function planSoak({ seed, minutes, components }: SoakOptions): SoakPlan {
  const random = new Dice(seed);
  const count = Math.max(1, Math.ceil(minutes));
  const least = minutes >= LONG ? 5 : 1;
  const turns = count >= TURNS;
  const kinds = ALL_KINDS.filter(
    ({ component }) => component === undefined || (turns && components.includes(component)),
  );
  const shifts = Array.from({ length: count }, (_, i) => shiftOf(i, count, kinds));
  // some will fire when nobody holds a lock: those do not count
  const wanted = 2 * least;
  const left = new Map(
    kinds.map((kind) => [kind, Math.ceil(wanted / shifts.filter((shift) => shift.includes(kind)).length)]),
  );
  return {
    seed,
    components,
    least,
    kinds,
    minutes: shifts.map((shift, i) => {
      const seconds = Math.round(60 * Math.min(1, minutes - i));
      return planMinute(i + 1, seconds, shift, left, components, random);
    }),
  };
}

/**
 * The kinds of one minute. They take turns, because most strategies promise to bear only some of them. Kills are
 * left to the first and the last minute: a leak is seen in a process that lives for long.
 */
function shiftOf(i: number, count: number, kinds: readonly Kind[]): readonly Kind[] {
  if (count < TURNS) return kinds;
  const turn = [ENDS_LEASES, TAKES_TIME, LOSES_PARTS][i % TURNS] ?? [];
  const withKill = i === 0 || i === count - 1 ? [...KILLS, ...turn] : turn;
  return withKill.filter((kind) => kinds.includes(kind));
}

function planMinute(
  number: number,
  seconds: number,
  kinds: readonly Kind[],
  times: ReadonlyMap<Kind, number>,
  components: readonly Component[],
  dice: Dice,
): PlannedMinute {
  const leaseMs = kinds.some((kind) => ENDS_LEASES.includes(kind)) ? 800 : 3000;
  const strategies = choose(eligible(kinds, components), kinds, dice);
  const balances = strategies.map(({ name }): PlannedBalance => ({
    strategy: name,
    stock: dice.from(40, 160),
    buyers: BUYERS,
    options: { leaseMs, waitMs: 6000, workMs: dice.from(2, 12), retryMs: 20 },
  }));
  const all = dice.shuffle(kinds.flatMap((kind) => Array.from({ length: times.get(kind) ?? 0 }, () => kind)));
  const begin = 1000 * seconds * QUIET_AT_FIRST;
  const slot = (1000 * seconds * (1 - QUIET_AT_FIRST - QUIET_AT_LAST)) / Math.max(1, all.length);
  const faults = all.map((kind, i): PlannedFault => {
    const at = Math.round(begin + slot * (i + 0.5 * dice.next()));
    return { at, kind: kind.name, ...detail(kind.name, leaseMs, balances, dice) };
  });
  return { number, seconds, kinds, balances, faults };
}

/** At most so many strategies, one of them for each server that this minute's faults hit. */
function choose(from: readonly Strategy[], kinds: readonly Kind[], dice: Dice): readonly Strategy[] {
  const needed = kinds.flatMap(({ component }) => {
    const using = from.filter(({ needs }) => component !== undefined && needs?.includes(component) === true);
    return using.length === 0 ? [] : [dice.one(using)];
  });
  return [...new Set([...needed, ...dice.shuffle(from)])].slice(0, MOST_BALANCES);
}

function detail(
  kind: string,
  leaseMs: number,
  balances: readonly PlannedBalance[],
  dice: Dice,
): Pick<PlannedFault, 'carried' | 'server'> {
  const carried = (header: string) => ({ carried: { balance: dice.from(0, balances.length - 1), header } });
  const server = (target: string, ms: number) => ({ server: { target, ms } });
  switch (kind) {
    case 'kill':
      return carried(dice.one(['after(UPDATE)=kill', 'before(COMMIT)=kill']));
    case 'order-killed':
      return carried(
        `order:${dice.one(['after(INSERT#1)', 'before(INSERT#2)', 'after(COMMIT)'])}=kill`, // the intent, the order, its reply
      );
    case 'pause':
      return carried(
        `${dice.one(['after(UPDATE)', 'before(COMMIT)'])}=pause(${leaseMs + dice.from(200, 900)})`,
      );
    case 'block':
      return carried(
        `${dice.one(['after(UPDATE)', 'before(COMMIT)'])}=block(${leaseMs + dice.from(200, 900)})`,
      );
    case 'delay': {
      // the work itself: who has no lock by then is not slow under one
      const locked = balances.flatMap(({ strategy }, i) =>
        findStrategy(strategy).options.includes('waitMs') ? [i] : [],
      );
      const header = `after(WORK)=delay(${leaseMs + dice.from(200, 900)})`;
      return { carried: { balance: dice.one(locked), header } };
    }
    case 'lose-reply':
      return carried('after(UPDATE)=lose-reply');
    case 'error':
      return carried('before(COMMIT)=error');
    case 'redis-killed':
      return server('redis', dice.from(50, 800));
    case 'redis-paused':
      return server('redis', dice.from(900, 1800));
    case 'redis-cut':
      return server(CUT_OFF, dice.from(900, 1800));
    case 'database-killed':
      return server('mysql', dice.from(50, 500));
    case 'database-cut':
      return server('mysql', 0);
    case 'nginx-reloaded':
      return server('nginx', 0);
    case 'voter-lost':
      return server(`redis-${dice.from(1, 5)}`, dice.from(800, 2000));
    case 'replica-lost':
      return server(`replica-${dice.from(1, 2)}`, dice.from(800, 2000));
    default:
      throw new Error(`nothing is planned for ${kind}`);
  }
}

/** The replica whose way to Redis can be cut. */
export const CUT_OFF = 'inventory-1';

/** Chance by seed. */
class Dice {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  /** A whole number between two bounds, both included. */
  from(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  one<T>(all: readonly T[]): T {
    const chosen = all[this.from(0, all.length - 1)];
    if (chosen === undefined) throw new Error('there is nothing to choose from');
    return chosen;
  }

  shuffle<T>(all: readonly T[]): T[] {
    return all
      .map((value) => ({ value, key: this.next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ value }) => value);
  }
}

import { SeededRandom } from '#lab/random';
import type { Component } from '#lab/step';
import { findStrategy, type Strategy } from '#lab/strategy';
import type { BalanceKind } from '#lab/verdict';
import { ALL_KINDS, eligible, ENDS_LEASES, KILLS, LOSES_PARTS, TAKES_TIME, type Kind } from './kinds';

export interface PlannedFault {
  /** Milliseconds since the start of the minute. */
  readonly at: number;
  readonly kind: string;
  /** The balance whose next order has this `x-fault` header; absent: the fault hits a server. */
  readonly carried?: { readonly balance: number; readonly header: string };
  /** The server, and the duration in milliseconds; absent: an order carries the fault. */
  readonly server?: { readonly target: string; readonly ms: number };
}

/**
 * A balance that is sold repeatedly during a minute, each time from its first unit to its last; an account is debited by one
 * from its opening balance to zero.
 */
export interface PlannedBalance {
  readonly kind: BalanceKind;
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

/** The plan of a soak. It is the same for the same seed, length and components. */
export interface SoakPlan {
  readonly seed: number;
  readonly components: readonly Component[];
  /** Minimum number of times that each kind of fault must fire while locks are contended. */
  readonly least: number;
  readonly kinds: readonly Kind[];
  readonly minutes: readonly PlannedMinute[];
}

export interface SoakOptions {
  readonly seed: number;
  /** May be a fraction: 0.2 is one shortened minute. */
  readonly minutes: number;
  readonly components: readonly Component[];
}

/** Minutes from which on each kind of fault must fire five times. */
const LONG = 5;
/**
 * Number of groups of kinds that take turns. A soak of fewer minutes has all kinds in each minute, except those of servers
 * on demand.
 */
const TURNS = 3;
/** Products per minute at most. One account is debited beside them. */
const MAX_PRODUCTS = 6;
const BUYERS = 4;
/** Fractions of a minute without faults: at its start buyers connect, at its end they finish. */
const QUIET_AT_FIRST = 0.04;
const QUIET_AT_LAST = 0.12;

export function planSoak({ seed, minutes, components }: SoakOptions): SoakPlan {
  const random = new SeededRandom(seed);
  const count = Math.max(1, Math.ceil(minutes));
  const least = minutes >= LONG ? 5 : 1;
  const turns = count >= TURNS;
  const kinds = ALL_KINDS.filter(
    ({ component }) => component === undefined || (turns && components.includes(component)),
  );
  const kindsByMinute = Array.from({ length: count }, (_, i) => kindsOfMinute(i, count, kinds));
  // twice the minimum, because a fault that fires while no lock is held does not count
  const wanted = 2 * least;
  const left = new Map(
    kinds.map((kind) => [
      kind,
      Math.ceil(wanted / kindsByMinute.filter((chosen) => chosen.includes(kind)).length),
    ]),
  );
  return {
    seed,
    components,
    least,
    kinds,
    minutes: kindsByMinute.map((chosen, i) => {
      const seconds = Math.round(60 * Math.min(1, minutes - i));
      return planMinute(i + 1, seconds, chosen, left, components, random);
    }),
  };
}

/**
 * The kinds of one minute. They take turns, because most strategies tolerate only some of them. Kills happen only in the
 * first and the last minute, because a leak shows only in a process that runs for long.
 */
function kindsOfMinute(i: number, count: number, kinds: readonly Kind[]): readonly Kind[] {
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
  random: SeededRandom,
): PlannedMinute {
  const leaseMs = kinds.some((kind) => ENDS_LEASES.includes(kind)) ? 800 : 3000;
  const strategies = eligible(kinds, components);
  const balanceOf = (kind: BalanceKind, { name }: Strategy): PlannedBalance => ({
    kind,
    strategy: name,
    stock: random.between(40, 160),
    buyers: BUYERS,
    options: { leaseMs, waitMs: 6000, workMs: random.between(2, 12), retryMs: 20 },
  });
  const balances = [
    ...choose(strategies, kinds, random).map((strategy) => balanceOf('stock', strategy)),
    balanceOf('account', random.pick(strategies)),
  ];
  const all = random.shuffle(
    kinds.flatMap((kind) => Array.from({ length: times.get(kind) ?? 0 }, () => kind)),
  );
  const begin = 1000 * seconds * QUIET_AT_FIRST;
  const slot = (1000 * seconds * (1 - QUIET_AT_FIRST - QUIET_AT_LAST)) / Math.max(1, all.length);
  const faults = all.map((kind, i): PlannedFault => {
    const at = Math.round(begin + slot * (i + 0.5 * random.next()));
    return { at, kind: kind.name, ...detail(kind.name, leaseMs, balances, random) };
  });
  return { number, seconds, kinds, balances, faults };
}

/** At most `MAX_PRODUCTS` strategies, among them one for each component that this minute's faults hit. */
function choose(
  from: readonly Strategy[],
  kinds: readonly Kind[],
  random: SeededRandom,
): readonly Strategy[] {
  const needed = kinds.flatMap(({ component }) => {
    const using = from.filter(({ needs }) => component !== undefined && needs?.includes(component) === true);
    return using.length === 0 ? [] : [random.pick(using)];
  });
  return [...new Set([...needed, ...random.shuffle(from)])].slice(0, MAX_PRODUCTS);
}

function detail(
  kind: string,
  leaseMs: number,
  balances: readonly PlannedBalance[],
  random: SeededRandom,
): Pick<PlannedFault, 'carried' | 'server'> {
  const carried = (header: string) => carriedBy(random.between(0, balances.length - 1), header);
  /** A fault is one of the inventory app unless its header names another app. */
  const carriedBy = (balance: number, header: string) => ({
    carried: { balance, header: balances[balance]?.kind === 'account' ? `account:${header}` : header },
  });
  const server = (target: string, ms: number) => ({ server: { target, ms } });
  switch (kind) {
    case 'kill':
      return carried(random.pick(['after(UPDATE)=kill', 'before(COMMIT)=kill']));
    case 'order-killed':
      // after the intent, before the order, before the order's reply
      return {
        carried: {
          balance: random.below(balances.filter((balance) => balance.kind === 'stock').length),
          header: `order:${random.pick(['after(INSERT#1)', 'before(INSERT#2)', 'after(COMMIT)'])}=kill`,
        },
      };
    case 'pause':
      return carried(
        `${random.pick(['after(UPDATE)', 'before(COMMIT)'])}=pause(${leaseMs + random.between(200, 900)})`,
      );
    case 'block':
      return carried(
        `${random.pick(['after(UPDATE)', 'before(COMMIT)'])}=block(${leaseMs + random.between(200, 900)})`,
      );
    case 'delay': {
      // only strategies that hold a lock during the work: others are not affected by slow work
      const locked = balances.flatMap(({ strategy }, i) =>
        findStrategy(strategy).options.includes('waitMs') ? [i] : [],
      );
      const header = `after(WORK)=delay(${leaseMs + random.between(200, 900)})`;
      return carriedBy(random.pick(locked), header);
    }
    case 'lose-reply':
      return carried('after(UPDATE)=lose-reply');
    case 'error':
      return carried('before(COMMIT)=error');
    case 'redis-killed':
      return server('redis', random.between(50, 800));
    case 'redis-paused':
      return server('redis', random.between(900, 1800));
    case 'redis-cut':
      return server(CUT_OFF, random.between(900, 1800));
    case 'database-killed':
      return server('mysql', random.between(50, 500));
    case 'database-cut':
      return server('mysql', 0);
    case 'nginx-reloaded':
      return server('nginx', 0);
    case 'voter-lost':
      return server(`redis-${random.between(1, 5)}`, random.between(800, 2000));
    case 'replica-lost':
      return server(`replica-${random.between(1, 2)}`, random.between(800, 2000));
    case 'zookeeper-killed':
      return server('zookeeper', random.between(50, 500));
    case 'etcd-killed':
      return server('etcd', random.between(50, 500));
    default:
      throw new Error(`No fault is defined for the kind ${kind}`);
  }
}

/** The replica with a fault proxy to Redis. */
export const CUT_OFF = 'inventory-1';

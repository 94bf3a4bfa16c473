import type { Effect } from '#lab/guard';
import type { LockEffect } from '#lab/step';
import type { FaultName } from '#lab/strategy';

/**
 * The history of one schedule, as the explorer records it. Positions (`n`) count events from 1 and are the only measure of
 * their order. Virtual time is in milliseconds.
 */
export interface ScheduleHistory {
  readonly strategy: string;
  /** The amount of each balance before the first step. */
  readonly stock: number;
  readonly actors: readonly ScheduleActor[];
  /** The number of parts of a lock; absent: one. The holder has more than half of the parts. */
  readonly parts?: number;
  /** The lease of a lock, virtual milliseconds; absent: unknown. */
  readonly leaseMs?: number;
  /** How long a request waits for its lock, virtual milliseconds; absent: unknown. */
  readonly waitMs?: number;
  readonly events: readonly ScheduleEvent[];
  readonly final: FinalState;
}

/** One buyer. `cart`: it requests one unit of each of these balances; absent: one unit of the only balance. */
export interface ScheduleActor {
  readonly name: string;
  readonly process: string;
  readonly cart?: readonly string[];
}

/** The state of the servers after every actor has ended or is blocked forever. */
export interface FinalState {
  /** The amount of the first balance. */
  readonly amount: number;
  /** The amount of each balance of the schedule. */
  readonly amounts: Readonly<Record<string, number>>;
  /** Committed movements in insertion order. */
  readonly movements: readonly {
    readonly balance: string;
    readonly request: string;
    /** The segment that `before` and `after` belong to; null: the balance's own row. */
    readonly segment: number | null;
    readonly delta: number;
    readonly before: number;
    readonly after: number;
  }[];
  readonly locks: readonly LockState[];
  /** The effects of the actions of a guard, in their order; absent: the schedule is about balances. */
  readonly effects?: readonly Effect[];
  /** Keys of a rate limiter that never expire. */
  readonly endlessKeys?: readonly string[];
  /** The invariants of a user that are false, and what they say is wrong. */
  readonly broken?: readonly { readonly invariant: string; readonly why: string }[];
}

/** A lock key in Redis. `owner` is the actor whose step created it; `expiresAt` is absent if it has no expiry. */
export interface LockState {
  readonly key: string;
  readonly owner?: string;
  readonly expiresAt?: number;
}

/** A change of a lock key by a step or fault. `owner` is the owner before the change. */
export interface LockChange {
  readonly key: string;
  /** The lock that the key is a part of, if it has several parts. */
  readonly lock?: string;
  readonly change: 'taken' | 'replaced' | 'released' | 'renewed' | 'expired' | 'flushed';
  readonly by?: string;
  readonly owner?: string;
}

interface Event {
  readonly n: number;
  /** Virtual time, milliseconds since the start of the schedule; absent with real time. */
  readonly at?: number;
  readonly locks?: readonly LockChange[];
}

/** One I/O call of an actor. */
export interface StepEvent extends Event {
  readonly type: 'step';
  readonly actor: string;
  readonly kind: string;
  readonly verb: string;
  readonly text: string;
  readonly key?: string;
  readonly script?: string;
  /** What the step did to a lock, as its own reply reports it; `locks` says what the servers show. */
  readonly lock?: LockEffect;
  /** The server, if there are several; absent: the lab's own Redis, or the database. */
  readonly server?: string;
  /** Issued by a timer of the actor (a watchdog), not by its request. */
  readonly timer?: true;
  /** Delayed because its mutex was held. */
  readonly delayed?: true;
  /** The fault injected into this step. */
  readonly fault?: 'error' | 'lose-reply' | 'cut' | 'in-flight' | 'server-down' | 'lost-session';
  readonly reply?: unknown;
  readonly error?: string;
  /** The stable code of the error: the lab's, or the database driver's. */
  readonly errorCode?: string;
  /** The wait ends with a notification, not with the next poll. */
  readonly awaits?: 'notification';
  /** The step waited in the server. Value: the event during which it was answered. */
  readonly answeredAt?: number;
}

/** A fault injected into a process, the clock or a server. */
export interface FaultEvent extends Event {
  readonly type: 'fault';
  /** `resume`: a paused process continues. */
  readonly fault: FaultName | 'resume';
  /** The process, lock key or server. */
  readonly subject: string;
  /** A description for people. */
  readonly text: string;
  /** False if it had no effect, e.g. a lapse that a watchdog prevented. */
  readonly effective: boolean;
}

/** No actor could proceed, so the virtual clock advanced. */
export interface TimeEvent extends Event {
  readonly type: 'time';
  readonly text: string;
}

/** The strategy reported a failed release after the sale. */
export interface WarnEvent extends Event {
  readonly type: 'warn';
  readonly actor: string;
  readonly text: string;
}

/** The end of an actor: `APPLIED`, `DIED`, or the stable code of its error. */
export interface EndEvent extends Event {
  readonly type: 'end';
  readonly actor: string;
  readonly code: string;
  readonly text: string;
  /** What the action was about, in schedules of guards. */
  readonly key?: string;
}

export type ScheduleEvent = StepEvent | FaultEvent | TimeEvent | WarnEvent | EndEvent;

const DEATHS: ReadonlySet<FaultEvent['fault']> = new Set(['kill', 'in-flight', 'host-down'] as const);

/** The end of the process that the event names. */
export const isDeath = (event: ScheduleEvent): event is FaultEvent =>
  event.type === 'fault' && DEATHS.has(event.fault);

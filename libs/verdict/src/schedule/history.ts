/**
 * The history of one schedule, as the explorer records it. Positions (`n`) count events from 1: they are the only
 * time that an order of steps has. Virtual time is in milliseconds.
 */
export interface ScheduleHistory {
  readonly strategy: string;
  /** Each balance before the first step. */
  readonly stock: number;
  readonly actors: readonly ScheduleActor[];
  /** In how many places a lock has a part; absent: in one. It is held by who has more than half of them. */
  readonly parts?: number;
  /** How long a lock is granted, virtual milliseconds; absent: unknown. */
  readonly leaseMs?: number;
  readonly events: readonly ScheduleEvent[];
  readonly final: FinalState;
}

/** One buyer. `cart`: the balances of which it wants one unit each; absent: one unit of the only balance. */
export interface ScheduleActor {
  readonly name: string;
  readonly process: string;
  readonly cart?: readonly string[];
}

/** What the servers hold when every actor has ended or is blocked for good. */
export interface FinalState {
  /** Of the first balance. */
  readonly amount: number;
  /** Of each balance that the schedule is about. */
  readonly amounts: Readonly<Record<string, number>>;
  /** Committed movements in the order of their inserts. */
  readonly movements: readonly {
    readonly balance: string;
    readonly request: string;
    /** Whose values `before` and `after` are; null: those of the balance's own row. */
    readonly segment: number | null;
    readonly delta: number;
    readonly before: number;
    readonly after: number;
  }[];
  readonly locks: readonly LockState[];
}

/** A lock key in Redis. `owner` is the actor whose step put it there; `expiresAt` is absent when it never ends. */
export interface LockState {
  readonly key: string;
  readonly owner?: string;
  readonly expiresAt?: number;
}

/** What a step or fault did to a lock key. `owner` is whose it was before. */
export interface LockChange {
  readonly key: string;
  /** The lock that the key is a part of, where a lock has several. */
  readonly lock?: string;
  readonly change: 'taken' | 'replaced' | 'released' | 'renewed' | 'expired' | 'flushed';
  readonly by?: string;
  readonly owner?: string;
}

interface Event {
  readonly n: number;
  /** Virtual time, milliseconds since the schedule began; absent where time is real. */
  readonly at?: number;
  readonly locks?: readonly LockChange[];
}

/** One I/O call of an actor. `process` is the process that it lives in. */
export interface StepEvent extends Event {
  readonly type: 'step';
  readonly actor: string;
  readonly kind: string;
  readonly verb: string;
  readonly text: string;
  readonly key?: string;
  readonly script?: string;
  /** Which of several servers it went to; absent: the lab's own Redis, or the database. */
  readonly server?: string;
  /** Made by a timer of the actor (a watchdog), not by its main line. */
  readonly timer?: true;
  /** It could not be made at once: its mutex was taken. */
  readonly waited?: true;
  /** What was done to this very step. */
  readonly fault?: 'error' | 'lose-reply' | 'cut' | 'in-flight' | 'server-down' | 'lost-session';
  readonly reply?: unknown;
  readonly error?: string;
  /** The stable code of the error: its own, or the database driver's. */
  readonly errorCode?: string;
  /** A wait that ends with a message, not with the next poll. */
  readonly awaits?: 'notification';
  /** The step had to wait in the server: it was answered during this event. */
  readonly answeredAt?: number;
}

export type FaultName =
  | 'lapse'
  | 'kill'
  | 'pause'
  | 'resume'
  | 'tick'
  | 'slow'
  | 'overrun'
  | 'cut'
  | 'in-flight'
  | 'lose-reply'
  | 'error'
  | 'flush'
  | 'server-down'
  | 'lost-session';

/** Something done to an actor's process, to time or to a server. */
export interface FaultEvent extends Event {
  readonly type: 'fault';
  readonly fault: FaultName;
  /** The process, lock key or server that it was done to. */
  readonly subject: string;
  /** What happened, in words. */
  readonly text: string;
  /** False when it changed nothing: a lapse that a watchdog prevented. */
  readonly effective: boolean;
}

/** Nobody could move, so time went on. */
export interface TimeEvent extends Event {
  readonly type: 'time';
  readonly text: string;
}

/** A release that failed after the sale was done, as the strategy told it. */
export interface WarnEvent extends Event {
  readonly type: 'warn';
  readonly actor: string;
  readonly text: string;
}

/** What an actor came to: `APPLIED`, `DIED`, or the stable code of its error. */
export interface EndEvent extends Event {
  readonly type: 'end';
  readonly actor: string;
  readonly code: string;
  readonly text: string;
}

export type ScheduleEvent = StepEvent | FaultEvent | TimeEvent | WarnEvent | EndEvent;

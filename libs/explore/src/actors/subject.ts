import type { Clock } from '#lab/step';
import type { LocalProcess } from '#lab/strategy';
import type { FinalState, ScheduleHistory, ScheduleVerdict } from '#lab/verdict';
import type { ActorConnections, LockReading, LockStore, World } from '../world';
import type { Realm } from './realm';

/** Result of an actor's request. */
export interface Outcome {
  /** `APPLIED`, or the stable code of its error. */
  readonly code: string;
  readonly text: string;
  /** What the action was about, for a guard. */
  readonly key?: string;
}

/** What an actor's request works with. */
export interface Requester {
  readonly name: string;
  readonly process: { readonly name: string; readonly local: LocalProcess; readonly alive: boolean };
  readonly connections: ActorConnections;
  readonly cart?: readonly string[] | undefined;
}

/** What an actor does, with the clock of the schedule. `warn` reports a failure after the result. Never rejects. */
export type Act = (requester: Requester, clock: Clock, warn: (warning: string) => void) => Promise<Outcome>;

/**
 * What is explored: something that concurrent actors do, the locks that it declares, and what must be true afterwards.
 * Explorer, replay, faults and matrix run any subject; `strategyOnBalance` is one.
 */
export interface Subject {
  /** How histories describe it. */
  readonly about: Pick<ScheduleHistory, 'strategy' | 'stock' | 'parts' | 'leaseMs' | 'waitMs'>;
  /** The stores that may hold its locks. */
  readonly lockStores: readonly LockStore[];
  /** It keeps Redis keys other than its locks, which a restart of Redis loses, too. */
  readonly keepsOtherKeys: boolean;
  /** Its module may keep state that the requests of one process share. */
  readonly keepsState: boolean;
  /** Its Lua scripts use no Redis key that they do not declare. Absent: they may. */
  readonly declaresKeys?: boolean;
  /**
   * True when the actors at these positions differ in nothing but their names: with the names exchanged, a schedule of them is
   * another one of the same subject. Absent: they may differ.
   */
  readonly areAlike?: (a: number, b: number) => boolean;
  /** Its source file, which each process evaluates for itself; absent: all processes share one object. */
  readonly file?: string;
  /**
   * Its code is not the lab's: it may set timers, which are to run in the time of the schedule, read the clock, and send any
   * statement over any of its sessions.
   */
  readonly isForeign?: true;
  /** Its invariants may read every outcome and all data that a schedule leaves, for example that a fault has deleted a key at last. */
  readonly hasInvariants?: true;
  /** Its code has clients of its own: commands over those that are not observed are looked for. */
  readonly hasClients?: true;
  /** Foreign code that gets the clock of the schedule, and may read it. */
  readonly getsClock?: true;
  /** The balances that each actor uses; undefined: the only one. */
  readonly carts?: readonly (readonly string[])[];
  /** Resets the servers and prepares them for the first step. Resolves with locks that exist before it, if there are any. */
  prepare(): Promise<readonly LockReading[] | undefined>;
  /** Requests before the schedule, at these virtual times, and when the schedule begins. */
  readonly earlier?: {
    readonly at: readonly number[];
    readonly startsAt: number;
    request(connections: ActorConnections, at: number): Promise<unknown>;
  };
  /** Loads its code into a process. */
  load(realm: Realm | undefined): Act;
  /** True for a command that writes what is protected. */
  writes(text: string): boolean;
  /** The final state, without locks. `reset`: the servers are reset in the same round trip; no step may be in flight. */
  look(how: { reset: boolean }): Promise<Omit<FinalState, 'locks'>>;
  /** What is wrong in a history. */
  judge(history: ScheduleHistory): ScheduleVerdict;
}

/** Makes a subject of a description, on the servers of a world. */
export type SubjectOf<Description> = (description: Description, world: World) => Subject;

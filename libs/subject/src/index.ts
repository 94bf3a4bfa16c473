/** Addresses of the servers of an exploration. */
export interface Addresses {
  /** `redis://host:port/db`: a database of its own. */
  readonly redis: string;
  /** `mysql://user:password@host:port/schema`: a schema of its own. */
  readonly mysql: string;
}

type Awaitable<T> = T | Promise<T>;

/** How an actor ended. */
export interface ActorOutcome {
  /** `A`, `B`, `C`. */
  readonly actor: string;
  /** `returned`; `threw`; `died` with its process; or `waits` forever. */
  readonly state: 'returned' | 'threw' | 'died' | 'waits';
  /** What it returned. */
  readonly value?: unknown;
  /** What it threw. */
  readonly error?: unknown;
}

export type ActorFunction<Clients> = (clients: Clients) => unknown;

/** An actor, with the name of its process. Processes are what faults kill and pause; absent: one of its own. */
export interface ActorInProcess<Clients> {
  readonly process?: string;
  readonly run: ActorFunction<Clients>;
}

/**
 * What must be true after every schedule. False, a sentence that says what is wrong, or an error: it is not. True or
 * undefined: it is.
 */
export type Invariant<Clients> = (
  clients: Clients,
  outcomes: readonly ActorOutcome[],
) => Awaitable<boolean | string | undefined>;

/** A subject of your own: what two or three actors do at the same time, and what must be true afterwards. */
export interface SubjectDefinition<Clients> {
  /** Once, before the first schedule: creates tables. */
  setUp?(clients: Clients): unknown;
  /** Before each schedule: restores what the last one has changed in the database. Redis is empty. */
  prepare?(clients: Clients): unknown;
  readonly actors: readonly (ActorFunction<Clients> | ActorInProcess<Clients>)[];
  readonly invariants: Readonly<Record<string, Invariant<Clients>>>;
}

/** Opens the clients of one actor. */
export type Connect<Clients = object> = (servers: Addresses) => Awaitable<Clients>;

/** The isolation levels that an exploration can set. */
export const ISOLATIONS = ['READ COMMITTED', 'REPEATABLE READ'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** The faults that may be injected into a subject: docs/kit.md. */
export const SUBJECT_FAULTS = [
  'kill',
  'host-down',
  'in-flight',
  'error',
  'lose-reply',
  'lapse',
  'pause',
  'cut',
  'flush',
  'lost-session',
] as const;
export type SubjectFault = (typeof SUBJECT_FAULTS)[number];

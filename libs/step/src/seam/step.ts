import { AsyncLocalStorage } from 'node:async_hooks';
import type { AutoResetEvent } from './auto-reset-event';
import type { LockCommand } from './lock';

/** The kind of I/O; `local` is the in-process mutex, `fs` is mkdir/rmdir, `timer` is work and waiting. */
export type StepKind = 'redis' | 'sql' | 'zk' | 'etcd' | 'http' | 'fs' | 'local' | 'timer';

/** One I/O call, as described by the code that makes it. */
export interface StepInfo {
  readonly kind: StepKind;
  /** First word of the command, upper case: `SET`, `UPDATE`, `COMMIT`, `WORK`. */
  readonly verb: string;
  /** The whole command in one line, for people. */
  readonly text: string;
  /** The Redis key, mutex or path of the step, where it has one. */
  readonly key?: string;
  /** All Redis keys that the command names. */
  readonly keys?: readonly string[];
  /** Name of the Lua script that an EVALSHA runs. */
  readonly script?: string;
  /** Where the reply of the script, a list, has the milliseconds until the key expires. */
  readonly timeLeftAt?: number;
  /** The commands of a MULTI, in the order of its replies. */
  readonly commands?: readonly StepInfo[];
  /** What the step does to a lock, if it is a command on one. */
  readonly lock?: LockCommand;
  /** The event that a WAIT waits for, at most `ms` milliseconds; absent: it waits for time only. */
  readonly until?: { readonly event: AutoResetEvent; readonly ms: number };
  /** The server, where there are several of a kind. */
  readonly server?: string;
  /** The command waits in the server until another client acts. */
  readonly blocking?: Blocking;
  /** Why the step cannot be explored; absent: it can. */
  readonly refused?: string;
  /** Server-side id of the step's SQL connection, set by the client when it is known. */
  connection?: number;
}

/** A command that waits in Redis until another client writes, for example BLPOP. */
export interface Blocking {
  /** Milliseconds that it waits at most; 0: forever. */
  readonly timeoutMs: number;
  /** The server's id of its connection; set by the client when it is known. */
  client?: number;
}

/** A step of a named actor, as listeners receive it. */
export interface Step extends StepInfo {
  readonly actor: string;
  /**
   * Position in the server's own order, set by the client after the reply if it is known (Redis: only when
   * `Scope.ordered`).
   */
  order?: number;
  /** The step whose command waits in Redis on the same connection; set by the client. Its reply comes first. */
  behind?: Step;
  /**
   * Sends a script without keys over the connection of this step, right behind its command, when it is called in the turn in
   * which the step is issued. Set by the client then, where the connection runs the script at once, and in the same database.
   */
  evalBehind?: (script: string, ...args: readonly (string | number)[]) => Promise<unknown>;
}

/**
 * Receives every step of its actor. It calls `issue` at most once: it may delay the call (a gate), throw instead (an
 * error), or throw after it (a lost reply).
 */
export type Listener = (step: Step, issue: () => Promise<unknown>) => Promise<unknown>;

/** The current actor and its listener. */
export interface Scope {
  readonly actor: string;
  readonly listener: Listener;
  /** Record Redis' own order of the commands on lock keys (see `redis.ts`). */
  readonly ordered?: boolean;
  /** The schedule's time, milliseconds; replaces `SCHEDULE_TIME` in commands. Absent: time is real. */
  readonly scheduleTime?: () => number;
  /** Called when a promise of this scope is rejected and not handled: Node would end the process. */
  readonly onUnhandled?: (error: unknown) => void;
}

const scopes = new AsyncLocalStorage<Scope>();

/** The scope of the running code; undefined: it has no listener. */
export const currentScope = (): Scope | undefined => scopes.getStore();

/** Runs `body` as `scope.actor`: each of its steps, also those of its timers, passes `scope.listener`. */
export const observe = <T>(scope: Scope, body: () => Promise<T>): Promise<T> => scopes.run(scope, body);

/** Runs `body` without a scope: for the lab's own I/O, which belongs to no request and no schedule. */
export const unobserved = <T>(body: () => T): T => scopes.exit(body);

/**
 * The seam: every I/O call of a strategy passes here. Without a listener it costs one map look-up, and `describe` is not
 * called.
 */
export function step<T>(describe: () => StepInfo, run: (step?: Step) => Promise<T>): Promise<T> {
  const scope = scopes.getStore();
  if (scope === undefined) return run();
  const current: Step = { actor: scope.actor, ...describe() };
  return scope.listener(current, () => run(current)) as Promise<T>;
}

/** Combines listeners; the first one is outermost: it receives the step first and the reply last. */
export function compose(...listeners: readonly Listener[]): Listener {
  return (step, issue) =>
    listeners.reduceRight<() => Promise<unknown>>((inner, listener) => () => listener(step, inner), issue)();
}

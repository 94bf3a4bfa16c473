import { AsyncLocalStorage } from 'node:async_hooks';
import type { AutoResetEvent } from './auto-reset-event';

/** What kind of I/O a step is; `local` is the in-process mutex, `fs` is mkdir/rmdir, `timer` is work and waiting. */
export type StepKind = 'redis' | 'sql' | 'zk' | 'etcd' | 'http' | 'fs' | 'local' | 'timer';

/** One I/O call, as the code that makes it describes it. */
export interface StepInfo {
  readonly kind: StepKind;
  /** First word of the command, upper case: `SET`, `UPDATE`, `COMMIT`, `WORK`. */
  readonly verb: string;
  /** The whole command in one line, for people. */
  readonly text: string;
  /** The Redis key, mutex or path that the step is about, where it has one. */
  readonly key?: string;
  /** Name of the Lua script that an EVALSHA runs. */
  readonly script?: string;
  /** What a WAIT waits for, at most so many milliseconds; absent: it waits for time alone. */
  readonly until?: { readonly event: AutoResetEvent; readonly ms: number };
  /** Which of several servers of a kind, where there are several. */
  readonly server?: string;
}

/** A step of a named actor: what listeners see. */
export interface Step extends StepInfo {
  readonly actor: string;
  /** Position in the server's own order, set by the driver after the reply when `ordered` was asked for. */
  order?: number;
  /** Server-side id of the SQL connection that carries the step, set by the driver when known. */
  connection?: number;
}

/**
 * Sees every step of its actor. It must call `issue` at most once: delaying the call is a gate, throwing
 * instead is an error, throwing after it is a lost reply.
 */
export type Listener = (step: Step, issue: () => Promise<unknown>) => Promise<unknown>;

/** Who is acting, and who watches. */
export interface Scope {
  readonly actor: string;
  readonly listener: Listener;
  /** Ask Redis for its own order of the commands on lock keys (see `redis.ts`). */
  readonly ordered?: boolean;
  /** The time of a schedule, milliseconds: takes the place of `SCHEDULE_TIME` in commands. Absent: time is real. */
  readonly scheduleTime?: () => number;
}

const scopes = new AsyncLocalStorage<Scope>();

/** The scope of the code that is running, if somebody listens to it. */
export const currentScope = (): Scope | undefined => scopes.getStore();

/** Runs `body` as `scope.actor`: every step that it makes, now or from its timers, passes `scope.listener`. */
export const observe = <T>(scope: Scope, body: () => Promise<T>): Promise<T> => scopes.run(scope, body);

/** Runs `body` as nobody: for the lab's own I/O, which is not part of any story. */
export const unobserved = <T>(body: () => T): T => scopes.exit(body);

/**
 * The one seam: every I/O call of a strategy passes here. With no listener this is one map look-up.
 * `describe` is called only when somebody listens.
 */
export function step<T>(describe: () => StepInfo, run: (step?: Step) => Promise<T>): Promise<T> {
  const scope = scopes.getStore();
  if (scope === undefined) return run();
  const current: Step = { actor: scope.actor, ...describe() };
  return scope.listener(current, () => run(current)) as Promise<T>;
}

/** One listener out of several; the first one is outermost: it sees the step first and the reply last. */
export function compose(...listeners: readonly Listener[]): Listener {
  return (step, issue) =>
    listeners.reduceRight<() => Promise<unknown>>((inner, listener) => () => listener(step, inner), issue)();
}

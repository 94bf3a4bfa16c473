import { InjectedFault } from './errors';
import type { Listener, Step } from './step';

/**
 * A fault of the `x-fault` header, where several are separated by `;`:
 *
 *     [app:]when(VERB[#n][=reply])=action
 *
 * `when` is `before` or `after`; VERB is a step's verb (`SETNX`, `UPDATE`, `COMMIT`, `WORK`) or the name of a Lua
 * script; `#n` means the nth such step of the request (default: the first). `after` matches a successful reply unless
 * `=reply` names another, so that it hits the client that gets a lock. The default app is `inventory`.
 */
export interface Fault {
  readonly source: string;
  readonly app: string;
  readonly when: 'before' | 'after';
  readonly verb: string;
  readonly nth: number;
  readonly reply?: string;
  readonly action: Action;
}

export type Action =
  | { readonly kind: 'kill' }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'pause-until'; readonly event: PauseEvent }
  | { readonly kind: 'block'; readonly ms: number }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'lose-reply' }
  | { readonly kind: 'error' };

/** `lock-taken`: another holder has the lock key; `sale`: another request's movement of this balance is committed. */
export const PAUSE_EVENTS = ['lock-taken', 'sale'] as const;
export type PauseEvent = (typeof PAUSE_EVENTS)[number];

/** Longest pause, block or delay, milliseconds. */
export const LONGEST_FAULT_MS = 30_000;
const MOST_FAULTS = 4;
const APPS: ReadonlySet<string> = new Set(['order', 'inventory', 'account']);

/** The effects of faults on this process; injected, so that tests need not kill it. */
export interface Effects {
  kill(): Promise<never>;
  /**
   * Prepares a pause and resolves with the function that stops the process; the helper that resumes it is watching by
   * then. `lock` is the request's last step on a lock key: the lock that `lock-taken` refers to.
   */
  pause(
    until: { ms: number } | { event: PauseEvent },
    lock?: Pick<Step, 'key' | 'server'>,
  ): Promise<() => Promise<void>>;
  block(ms: number): void;
  delay(ms: number): Promise<void>;
}

export class FaultSyntaxError extends Error {
  readonly code = 'FAULT.SYNTAX';

  constructor(source: string, why: string) {
    super(
      `cannot read the fault "${source}": ${why}. Write [app:]before|after(VERB[#n][=reply])=ACTION, ` +
        'ACTION one of kill, pause(ms), pause(lock-taken), pause(sale), block(ms), delay(ms), lose-reply, error; ' +
        'for example after(SETNX)=kill',
    );
    this.name = 'FaultSyntaxError';
  }
}

const FAULT =
  /^(?:(?<app>[a-z]+):)?(?<when>before|after)\((?<verb>[A-Za-z][\w-]*)(?:#(?<nth>\d{1,3}))?(?:=(?<reply>[^)]{1,64}))?\)=(?<action>[a-z-]+)(?:\((?<argument>[\w-]*)\))?$/;

/** Reads an `x-fault` header. Throws `FaultSyntaxError` with the whole grammar in its text. */
export function parseFaults(header: string): readonly Fault[] {
  const sources = header.split(';').map((part) => part.trim());
  if (sources.length > MOST_FAULTS)
    throw new FaultSyntaxError(header.slice(0, 80), `at most ${MOST_FAULTS} faults`);
  return sources.map(parseFault);
}

function parseFault(source: string): Fault {
  const parts = FAULT.exec(source)?.groups;
  if (parts === undefined) throw new FaultSyntaxError(source.slice(0, 80), 'it does not match the grammar');
  const { app = 'inventory', when, verb = '', nth = '1', reply, action = '', argument } = parts;
  if (!APPS.has(app))
    throw new FaultSyntaxError(source, `there is no app "${app}": order, inventory or account`);
  if (nth === '0') throw new FaultSyntaxError(source, '#n counts from 1');
  if (when === 'before' && reply !== undefined)
    throw new FaultSyntaxError(source, 'before() has no reply to compare');
  return {
    source,
    app,
    when: when as Fault['when'],
    verb: verb.toUpperCase() === verb ? verb : verb.toLowerCase(),
    nth: Number(nth),
    ...(reply !== undefined && { reply }),
    action: parseAction(source, action, argument, when as Fault['when']),
  };
}

function parseAction(
  source: string,
  kind: string,
  argument: string | undefined,
  when: Fault['when'],
): Action {
  switch (kind) {
    case 'kill':
    case 'error':
    case 'lose-reply':
      if (argument !== undefined) throw new FaultSyntaxError(source, `${kind} takes no argument`);
      if (kind === 'lose-reply' && when === 'before')
        throw new FaultSyntaxError(source, 'a reply can be lost only after the step');
      return { kind };
    case 'pause': {
      const event = PAUSE_EVENTS.find((name) => name === argument);
      return event === undefined
        ? { kind, ms: milliseconds(source, argument) }
        : { kind: 'pause-until', event };
    }
    case 'block':
    case 'delay':
      return { kind, ms: milliseconds(source, argument) };
    default:
      throw new FaultSyntaxError(source, `there is no action "${kind}"`);
  }
}

function milliseconds(source: string, argument = ''): number {
  const ms = /^\d{1,6}$/.test(argument) ? Number(argument) : Number.NaN;
  if (!(ms >= 1 && ms <= LONGEST_FAULT_MS))
    throw new FaultSyntaxError(source, `the time is in whole milliseconds, 1 to ${LONGEST_FAULT_MS}`);
  return ms;
}

/**
 * The listener that fires the faults of one request, each at most once. `announce` is called before a fault fires and
 * must write the history to disk.
 */
export function failpoint(
  faults: readonly Fault[],
  effects: Effects,
  announce: (fault: Fault, step: Step) => void,
): Listener {
  const seen = faults.map(() => 0);
  const due = (when: Fault['when'], step: Step, reply?: unknown): Fault[] =>
    faults.filter((fault, i) => {
      if (fault.when !== when || !names(fault, step)) return false;
      if (when === 'after' && !replyMatches(fault, step, reply)) return false;
      seen[i] = (seen[i] ?? 0) + 1;
      return seen[i] === fault.nth;
    });
  let lock: Step | undefined;
  const fire = async (fault: Fault, step: Step): Promise<void> => {
    const act = await prepare(fault, effects, step, lock);
    announce(fault, step); // not before `prepare`: the history would show the pause while the process still ran
    await act();
  };
  return async (step, issue) => {
    if (step.lock !== undefined) lock = step;
    for (const fault of due('before', step)) await fire(fault, step);
    const reply = await issue();
    for (const fault of due('after', step, reply)) await fire(fault, step);
    return reply;
  };
}

const names = (fault: Fault, step: Step): boolean => fault.verb === step.verb || fault.verb === step.script;

function replyMatches(fault: Fault, step: Step, reply: unknown): boolean {
  if (fault.reply !== undefined) return String(reply) === fault.reply;
  return (step.kind !== 'redis' && step.kind !== 'fs') || (reply !== null && reply !== 0 && reply !== false);
}

/** Does the slow preparation of a fault; resolves with the function that fires it. */
async function prepare(
  { action, source }: Fault,
  effects: Effects,
  step: Step,
  lock?: Step,
): Promise<() => Promise<void>> {
  switch (action.kind) {
    case 'kill':
      return () => effects.kill();
    case 'pause':
      return effects.pause({ ms: action.ms }, lock);
    case 'pause-until':
      return effects.pause({ event: action.event }, lock);
    case 'block':
      return () => {
        effects.block(action.ms);
        return Promise.resolve();
      };
    case 'delay':
      return () => effects.delay(action.ms);
    case 'lose-reply':
    case 'error':
      return () => Promise.reject(new InjectedFault(source, step));
  }
}

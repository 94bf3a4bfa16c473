import { codeOf, currentScope, onDropped } from '#lab/step';
import type { LoggerService } from '@nestjs/common';
import { destination, pino, stdTimeFunctions, type Logger as Pino } from 'pino';
import type { Problem } from './problem';

/** What a line can say about its error, besides the cause. */
export interface LogFields {
  /** The request id. */
  readonly request?: string | undefined;
  /** The id of the deduction: see the glossary. */
  readonly attempt?: string | undefined;
  readonly code?: string;
  readonly status?: number;
  readonly [detail: string]: unknown;
}

type Level = 'info' | 'warn' | 'error';

/** One error of a chain of causes. */
interface Cause {
  readonly message: string;
  /** The stable code, or the driver's: `ETIMEDOUT`, `ER_LOCK_DEADLOCK`. */
  readonly code?: string;
}

/** Fields of errors that are logged elsewhere: the code that fails knows the attempt, the filter writes the line. */
const known = new WeakMap<object, LogFields>();
/** Errors with a line. */
const logged = new WeakSet();

/** The deepest chain of causes in a line. */
const MOST_CAUSES = 5;

/**
 * The log of a replica: one JSON object per line on standard output. `level`, `time` and `replica` are in every line;
 * `request`, `attempt`, `code` and `cause` where they are known. Expected refusals (4xx) have no line.
 */
class Log {
  private pino: Pino = pino({ level: 'silent' });

  /** Names the replica and enables the log: libraries may log before that, in processes that are no replica. */
  open(replica: string): void {
    const options = {
      base: { replica },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level: string) => ({ level }) },
    };
    // synchronous: the line must be written before the answer is sent, and a killed replica must not lose it
    this.pino = pino(options, destination({ dest: 1, sync: true }));
    onDropped((what, error) => {
      this.write('warn', `${what} failed; the error was dropped`, error, { request: currentScope()?.actor });
    });
  }

  write(level: Level, message: string, error?: unknown, fields: LogFields = {}): void {
    const about = isObject(error) ? known.get(error) : undefined;
    this.pino[level](
      {
        ...about,
        ...fields,
        ...(error !== undefined && { code: fields.code ?? codeOf(error), cause: causesOf(error) }),
      },
      message,
    );
  }

  /**
   * Writes the line of a 5xx answer, unless the error has one. 500 is a defect: level `error`, with the stack. The others say
   * that a server or a response was lost: level `warn`.
   */
  answered({ status, code, detail }: Problem, error: unknown, fields: LogFields): void {
    if (status < 500) return;
    if (isObject(error) && logged.has(error)) return;
    const level = status === 500 ? 'error' : 'warn';
    const stack = status === 500 && error instanceof Error ? { stack: error.stack } : {};
    this.write(level, detail, error, { ...fields, status, code, ...stack });
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The error and its causes: message and code of each. A driver's error is the cause of the error that wraps it. */
function causesOf(error: unknown): readonly Cause[] {
  const causes: Cause[] = [];
  for (let next = error; isObject(next) && causes.length < MOST_CAUSES;) {
    const { message, code, cause, driverError } = next as Error & Record<'code' | 'driverError', unknown>;
    causes.push({ message, ...(typeof code === 'string' && { code }) });
    next = cause ?? (driverError === next ? undefined : driverError);
  }
  return causes.length > 0 ? causes : [{ message: String(error) }];
}

/** The log of this process. */
export const log = new Log();

/** Adds fields to the line of this error, and returns it. */
export function withFields<E>(error: E, fields: LogFields): E {
  if (isObject(error)) known.set(error, { ...known.get(error), ...fields });
  return error;
}

/** Says that this error has a line, or needs none. */
export function markLogged<E extends object>(error: E): E {
  logged.add(error);
  return error;
}

/** Logs a condition that is checked again and again only when it changes: probes and timers do not flood the log. */
export class ConditionLog {
  private current: string | undefined;

  /** `what`: the condition, for instance `readiness`. */
  constructor(private readonly what: string) {}

  failed(error: unknown, state = codeOf(error)): void {
    if (this.current === state) return;
    this.current = state;
    log.write('warn', `${this.what} failed: ${state}`, error);
  }

  succeeded(): void {
    if (this.current === undefined) return;
    this.current = undefined;
    log.write('info', `${this.what} succeeded again`);
  }
}

/** Nest's own messages as lines of the log. */
export const nestLogger: LoggerService = {
  log: () => undefined,
  warn: (message: unknown) => {
    nestLine('warn', message);
  },
  error: (message: unknown) => {
    nestLine('error', message);
  },
  fatal: (message: unknown) => {
    nestLine('error', message);
  },
};

function nestLine(level: Level, message: unknown): void {
  if (message instanceof Error) log.write(level, message.message, message);
  else log.write(level, typeof message === 'string' ? message : JSON.stringify(message));
}

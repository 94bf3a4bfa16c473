import type { QueryFailedError } from 'typeorm';

/** RFC 9457. `code` is stable, for programs; `detail` is for people and includes what to do next. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: unknown;
  readonly retryAfterSeconds?: number;
}

/** An error that carries its own problem. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
    this.name = 'ProblemError';
  }
}

/** The only place where a stable code gets its status and title. */
const ANSWERS: Readonly<Record<string, readonly [status: number, title: string]>> = {
  'STOCK.SOLD_OUT': [409, 'Sold out'],
  'STOCK.SPLIT': [409, 'Stock is split'],
  'STOCK.UNKNOWN_SKU': [404, 'Unknown product'],
  'ACCOUNT.INSUFFICIENT_FUNDS': [409, 'Insufficient funds'],
  'ACCOUNT.UNKNOWN': [404, 'Unknown account'],
  'ACCOUNT.ENTERED_BEFORE': [409, 'Already entered'],
  'ACCOUNT.OTHER_ENTRY': [409, 'Another entry has this id'],
  'IMPORT.OTHER_CONTENT': [422, 'Another batch has this id'],
  'IMPORT.RUNNING': [409, 'This batch is being imported'],
  'IMPORT.TOO_MANY': [429, 'Too many imports at once'],
  'LOCK.NOT_OBTAINED': [423, 'Lock not obtained'],
  'LOCK.NOT_REPLICATED': [423, 'Lock not replicated'],
  'LOCK.LOST': [409, 'Lock lost'],
  'LOCK.UPGRADE': [409, 'A reader cannot become a writer'],
  'LOCK.FENCED': [409, 'Fenced off by a newer holder'],
  'LOCK.WAIT_TIMEOUT': [423, 'Row lock not obtained'],
  'SQL.DEADLOCK': [409, 'Deadlock victim'],
  'SQL.CONFLICT': [409, 'Changed by another request'],
  'STRATEGY.UNKNOWN': [400, 'Unknown strategy'],
  'STRATEGY.NO_CARTS': [400, 'Strategy does not support carts'],
  'LIMIT.EXCEEDED': [429, 'Too many requests'],
  'LIMIT.UNKNOWN': [400, 'Unknown limiter'],
  'GUARD.UNKNOWN': [400, 'Unknown guard'],
  'CHANGE.CLOSED': [409, 'Cancelled, or already made'],
  'IDEMPOTENCY.INVALID': [400, 'Invalid Idempotency-Key'],
  'IDEMPOTENCY.REUSED': [422, 'Idempotency-Key of another order'],
  'IDEMPOTENCY.IN_PROGRESS': [409, 'First request still in progress'],
  'FAULT.SYNTAX': [400, 'Invalid fault'],
  'FAULT.DISABLED': [403, 'Faults are disabled'],
  'FAULT.UNSUPPORTED': [400, 'This fault cannot fire here'],
  'REQUEST.INVALID': [400, 'Invalid request'],
  'REQUEST.TOO_LARGE': [413, 'Request too large'],
  'REQUEST.NOT_FOUND': [404, 'Not found'],
  'REQUEST.METHOD_NOT_ALLOWED': [405, 'Method not allowed'],
  'REQUEST.MEDIA_TYPE': [415, 'Unsupported media type'],
  'EXPLORE.TOKEN': [400, 'Invalid token'],
  'EXPLORE.FAULTS': [400, 'Invalid faults'],
  'EXPLORE.NO_LONGER': [409, 'The schedule cannot be played'],
  'EXPLORE.NOT_ENABLED': [409, 'Not enabled now'],
  'SCENARIO.UNKNOWN': [404, 'Unknown scenario'],
  'JOB.UNKNOWN': [404, 'Unknown job'],
  'JOB.TOO_MANY': [429, 'Too many jobs wait'],
  'ACCESS.JOIN': [401, 'Not joined'],
  'ACCESS.REFUSED': [403, 'Not admitted'],
  'ACCESS.HOST': [403, 'Unknown host name'],
  'ACCESS.ORIGIN': [403, 'Another origin'],
  'ACCESS.TEACHER_ONLY': [403, 'For the teacher'],
  'LAB.STOPPED': [503, 'The lab is not running'],
  'COMPONENT.MISSING': [501, 'A server was not started'],
  'DEPENDENCY.DOWN': [503, 'A server is down'],
  OVERLOADED: [503, 'Too many requests at once'],
  OUTCOME_UNKNOWN: [502, 'Outcome unknown'],
  INTERNAL: [500, 'Internal error'],
};

const MYSQL_CODES: Readonly<Record<number, string>> = {
  1020: 'SQL.CONFLICT',
  1205: 'LOCK.WAIT_TIMEOUT',
  1213: 'SQL.DEADLOCK',
};

export function problem(
  code: string,
  detail: string,
  more: Pick<Problem, 'errors' | 'retryAfterSeconds'> = {},
): Problem {
  const [status, title] = ANSWERS[code] ?? [500, 'Internal error'];
  return {
    type: 'about:blank',
    title,
    status,
    code,
    detail,
    ...more,
    ...(status === 503 && { retryAfterSeconds: 1 }),
  };
}

/** The answer to a body that is not JSON. curl sends `-d` as a form unless it is given a type. */
export const unsupportedMediaType = (): Problem =>
  problem(
    'REQUEST.MEDIA_TYPE',
    "unsupported media type: send application/json, with curl: -H 'Content-Type: application/json'",
  );

/** Maps an error of a strategy, a server or a validation to its problem. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (!(error instanceof Error))
    return problem('INTERNAL', 'a value that is not an Error was thrown. See the log of this replica');
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof code === 'string' && code in ANSWERS) return problem(code, error.message);
  const mysql =
    MYSQL_CODES[(error as Partial<QueryFailedError<Error & { errno: number }>>).driverError?.errno ?? 0];
  if (mysql !== undefined) return problem(mysql, error.message);
  if (statusCode === 413) return problem('REQUEST.TOO_LARGE', 'the body is larger than 16 KiB');
  if (statusCode === 415) return unsupportedMediaType();
  if (typeof statusCode === 'number' && statusCode < 500) return problem('REQUEST.INVALID', error.message);
  return problem('INTERNAL', 'an unexpected error occurred. See the log of this replica');
}

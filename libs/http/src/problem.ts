import type { QueryFailedError } from 'typeorm';

/** RFC 9457. `code` is stable: programs compare it; `detail` is for people and says what to do next. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: unknown;
  readonly retryAfterSeconds?: number;
}

/** An error that is an answer: it knows its own problem. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
    this.name = 'ProblemError';
  }
}

/** The one place where a stable code gets its status (DESIGN: "Answers"). */
const ANSWERS: Readonly<Record<string, readonly [status: number, title: string]>> = {
  'STOCK.SOLD_OUT': [409, 'Sold out'],
  'STOCK.SPLIT': [409, 'Stock is split'],
  'STOCK.UNKNOWN_SKU': [404, 'Unknown product'],
  'ACCOUNT.INSUFFICIENT_FUNDS': [409, 'Insufficient funds'],
  'ACCOUNT.UNKNOWN': [404, 'Unknown account'],
  'ACCOUNT.ENTERED_BEFORE': [409, 'Entered before'],
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
  'SQL.DEADLOCK': [409, 'Dead-lock victim'],
  'SQL.CONFLICT': [409, 'Changed by somebody else'],
  'STRATEGY.UNKNOWN': [400, 'Unknown strategy'],
  'STRATEGY.NO_CARTS': [400, 'This strategy sells no carts'],
  'CHANGE.CLOSED': [409, 'Given up, or made before'],
  'IDEMPOTENCY.INVALID': [400, 'Invalid Idempotency-Key'],
  'IDEMPOTENCY.REUSED': [422, 'Idempotency-Key of another order'],
  'IDEMPOTENCY.IN_PROGRESS': [409, 'The first one is still under way'],
  'FAULT.SYNTAX': [400, 'Fault not understood'],
  'FAULT.DISABLED': [403, 'Faults are disabled'],
  'FAULT.UNSUPPORTED': [400, 'This fault cannot fire here'],
  'REQUEST.INVALID': [400, 'Invalid request'],
  'REQUEST.TOO_LARGE': [413, 'Request too large'],
  'REQUEST.NOT_FOUND': [404, 'Not found'],
  'REQUEST.MEDIA_TYPE': [415, 'Unsupported media type'],
  'COMPONENT.MISSING': [501, 'A server was not started'],
  'DEPENDENCY.DOWN': [503, 'A server is down'],
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

/** What an error thrown by a strategy, a server or a validation means to the client. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (!(error instanceof Error)) return problem('INTERNAL', 'something that is no error was thrown');
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof code === 'string' && code in ANSWERS) return problem(code, error.message);
  const mysql =
    MYSQL_CODES[(error as Partial<QueryFailedError<Error & { errno: number }>>).driverError?.errno ?? 0];
  if (mysql !== undefined) return problem(mysql, error.message);
  if (statusCode === 413) return problem('REQUEST.TOO_LARGE', 'the body is larger than 16 KiB');
  if (statusCode === 415) return problem('REQUEST.MEDIA_TYPE', 'send application/json');
  if (typeof statusCode === 'number' && statusCode < 500) return problem('REQUEST.INVALID', error.message);
  return problem('INTERNAL', 'an unexpected error: the log of this replica says more');
}

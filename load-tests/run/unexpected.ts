/** An answer that neither the strategy nor an injected fault explains. */
export interface UnexpectedAnswer {
  readonly request: string;
  readonly status: number;
  readonly body: string;
  /** What the replicas logged about the request, if their logs can be read. */
  readonly log: readonly string[];
}

/** Unexpected answers of a run: their number, and the first of them. */
export interface UnexpectedAnswers {
  readonly count: number;
  readonly first: readonly UnexpectedAnswer[];
}

/** Sold; refused by the stock or a conflict; refused by the lock. */
const ALWAYS_EXPECTED: ReadonlySet<number> = new Set([201, 409, 423]);
/** A replica or server that a fault stops or disturbs leads to these. */
const EXPECTED_OF_FAULTS: ReadonlySet<number> = new Set([502, 503]);
/** Answers that are kept whole. */
const MOST_KEPT = 3;
const LONGEST_BODY = 600;

/** Collects the unexpected answers of a run. */
export class UnexpectedAnswerCollector {
  private count = 0;
  private readonly first: Omit<UnexpectedAnswer, 'log'>[] = [];

  /** `hasFaults`: the run injects faults or stops a server. */
  constructor(private readonly hasFaults: boolean) {}

  note(request: string, status: number, body: string): void {
    if (ALWAYS_EXPECTED.has(status) || (this.hasFaults && EXPECTED_OF_FAULTS.has(status))) return;
    this.count++;
    if (this.first.length < MOST_KEPT)
      this.first.push({ request, status, body: body.slice(0, LONGEST_BODY) });
  }

  /** `logOf` returns the log lines of a request. */
  result(logOf: (request: string) => readonly string[]): UnexpectedAnswers {
    return {
      count: this.count,
      first: this.first.map((answer) => ({ ...answer, log: logOf(answer.request) })),
    };
  }
}

/** The answers as text, one line each, and indented below it the log lines. */
export const unexpectedLines = ({ first }: UnexpectedAnswers): string[] =>
  first.flatMap(({ request, status, body, log }) => [
    `${status} for request ${request}: ${body.trim()}`,
    ...(log.length === 0 ? ['  no line in the logs of the replicas'] : log.map((line) => `  ${line}`)),
  ]);

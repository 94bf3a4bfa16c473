import { count as counted } from '#lab/step';
import type { Language } from '#lab/verdict';
import { readAnswer } from './order-client';

/** One of the answers of a group, as the client received it. */
interface Example {
  readonly request: string;
  readonly body: string;
  /** What the replicas logged about the request, if their logs can be read. */
  readonly log: readonly string[];
}

/** Unexpected answers with one status and code. */
interface Group {
  readonly status: number;
  /** That of the problem, or `HTTP <status>`. */
  readonly code: string;
  readonly count: number;
}

/** The numbers of a run's unexpected answers. */
export interface UnexpectedCounts {
  readonly count: number;
  /** All answers, expected or not. */
  readonly of: number;
  /** The largest group first. */
  readonly groups: readonly Group[];
}

/** The answers of a run that neither the strategy nor an injected fault explains. */
export interface UnexpectedAnswers extends UnexpectedCounts {
  readonly groups: readonly (Group & { readonly example: Example })[];
}

/** Sold; refused by the stock or a conflict; refused by the lock. */
const ALWAYS_EXPECTED: ReadonlySet<number> = new Set([201, 409, 423]);
/** A replica or server that a fault stops or disturbs leads to these. */
const EXPECTED_OF_FAULTS: ReadonlySet<number> = new Set([502, 503]);
const LONGEST_BODY = 600;

/** Collects the unexpected answers of a run. */
export class UnexpectedAnswerCollector {
  private of = 0;
  private readonly groups = new Map<string, Group & { readonly example: Omit<Example, 'log'> }>();

  /** `hasFaults`: the run injects faults or stops a server. */
  constructor(private readonly hasFaults: boolean) {}

  note(request: string, status: number, body: string): void {
    this.of++;
    if (ALWAYS_EXPECTED.has(status) || (this.hasFaults && EXPECTED_OF_FAULTS.has(status))) return;
    const { code } = readAnswer(status, {}, body);
    const key = `${status} ${code}`;
    const { count, example } = this.groups.get(key) ?? {
      count: 0,
      example: { request, body: body.slice(0, LONGEST_BODY) },
    };
    this.groups.set(key, { status, code, count: count + 1, example });
  }

  /** `logOf` returns the log lines of a request. */
  result(logOf: (request: string) => readonly string[]): UnexpectedAnswers {
    const groups = [...this.groups.values()].sort((a, b) => b.count - a.count);
    return {
      count: groups.reduce((sum, { count }) => sum + count, 0),
      of: this.of,
      groups: groups.map(({ example, ...group }) => ({
        ...group,
        example: { ...example, log: logOf(example.request) },
      })),
    };
  }
}

/** How many answers were unexpected, by status and code. Undefined when none was. */
export function unexpectedText(
  { count, of, groups }: UnexpectedCounts,
  language: Language = 'en',
): string | undefined {
  if (count === 0) return undefined;
  const names = groups.map((group) =>
    groups.length === 1 ? nameOf(group) : `${nameOf(group)} ×${group.count}`,
  );
  return language === 'zh'
    ? `${of} 个应答中有 ${count} 个不该出现：${names.join('，')}`
    : `${count} of ${counted(of, 'answer')} ${count === 1 ? 'was' : 'were'} unexpected: ${names.join(', ')}`;
}

/** One answer of each group as text, one line each, and indented below it the log lines. */
export const unexpectedLines = ({ groups }: UnexpectedAnswers): string[] =>
  groups.flatMap(({ example: { request, body, log }, ...group }) => {
    const text = detailOf(body) ?? body.trim();
    const printed = new Set<unknown>([text, request, group.status, group.code]);
    return [
      `${nameOf(group)} for request ${request}: ${text}`,
      ...(log.length === 0
        ? ['  no line in the logs of the replicas']
        : log.map((line) => `  ${withoutRepetitions(line, printed)}`)),
    ];
  });

const nameOf = ({ status, code }: Group): string => (code === `HTTP ${status}` ? code : `${status} ${code}`);

/** The sentence of a problem document. */
function detailOf(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}

/** A log line, `REPLICA: {…}`, without the values that are printed above it and without the name that it begins with. */
function withoutRepetitions(line: string, printed: ReadonlySet<unknown>): string {
  const [, replica = '', json = ''] = /^([\w-]+): (.*)$/.exec(line) ?? [];
  try {
    const rest: unknown = JSON.parse(json, (_, value: unknown) => {
      const kept: unknown = Array.isArray(value) ? value.filter((one) => one !== undefined) : value;
      const isEmpty = typeof kept === 'object' && kept !== null && Object.keys(kept).length === 0;
      return isEmpty || kept === replica || printed.has(kept) ? undefined : kept;
    });
    return `${replica}: ${JSON.stringify(rest)}`;
  } catch {
    return line;
  }
}

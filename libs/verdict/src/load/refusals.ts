import type { StepLine } from '#lab/step';
import { groupBy } from '../group-by';
import { isDeadlockVictim, isRefusedWrite, statementOf } from '../schedule/protections';
import { runsStrategies, type Evidence } from './evidence';
import { stepsOf } from './holders';

/** A request that was refused because its lock or the value that it had read was stale. */
export interface Refusal {
  readonly request: string;
  readonly replica: string;
  /** The stable code of its error. */
  readonly code: string;
  /** The statement that refused it, without its values; null: the holder itself detected the loss of its lock. */
  readonly statement: string | null;
}

/** Codes for a stale lock or a stale value; nothing was written. */
const STALE: ReadonlySet<string> = new Set(['LOCK.FENCED', 'LOCK.LOST', 'SQL.CONFLICT']);

/** The refused stale writers, with the refusing statements. */
export function refusalsOf({ history }: Evidence): Refusal[] {
  const stale = history.flatMap((line) =>
    line.type === 'outcome' && runsStrategies(line) && STALE.has(line.code) ? [line] : [],
  );
  if (stale.length === 0) return [];
  const byRequest = groupBy(stepsOf(history), ({ request }) => request);
  return stale.map(({ request, replica, code }) => {
    const refusing = (byRequest.get(request) ?? []).findLast(isRefusedWrite);
    return { request, replica, code, statement: refusing === undefined ? null : statementOf(refusing) };
  });
}

/** The maximum number of entries. */
const MOST_NAMED = 4;

/** Statements and waits that serialized requests, each with the number of requests, the most frequent first. For people. */
export function protectedBy({ history }: Evidence): string[] {
  const requests = new Map<string, Set<string>>();
  for (const step of stepsOf(history)) {
    const words = protectionOf(step);
    if (words === undefined) continue;
    const known = requests.get(words) ?? new Set();
    requests.set(words, known.add(step.request));
  }
  return [...requests]
    .sort(([, a], [, b]) => b.size - a.size)
    .slice(0, MOST_NAMED)
    .map(([words, requestIds]) => `${words} (${requestIds.size.toLocaleString('en')})`);
}

function protectionOf(step: StepLine): string | undefined {
  const { kind, verb, text, lock, error } = step;
  if (isDeadlockVictim(step)) return 'requests aborted by the database in a deadlock';
  if (error !== undefined || step.pending === true) return undefined;
  if (kind === 'local' && verb === 'LOCK') return 'requests waited for the mutex of their process';
  if (kind === 'timer' && verb === 'WAIT') return 'requests waited for the lock';
  if (kind === 'sql' && text.endsWith(' FOR UPDATE')) return `requests locked the row: ${statementOf(step)}`;
  if (kind === 'sql' && verb === 'SELECT' && lock?.role === 'acquire')
    return 'requests waited in the database: GET_LOCK';
  if (isRefusedWrite(step)) return `requests refused by ${statementOf(step)}`;
  return undefined;
}

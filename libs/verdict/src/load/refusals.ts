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

/** What serialized requests: a wait, or a statement without its values. */
type Serialization =
  | { readonly code: 'deadlock-victim' | 'mutex' | 'lock' | 'named-lock' }
  | { readonly code: 'row-lock' | 'refused'; readonly statement: string };

/** A statement or a wait that serialized requests. The text for people is `protectionText`. */
export type Protection = Serialization & { readonly requests: number };

/** Statements and waits that serialized requests, each with the number of requests, the most frequent first. */
export function protectionsOf({ history }: Evidence): Protection[] {
  const found = new Map<string, { readonly by: Serialization; readonly requests: Set<string> }>();
  for (const step of stepsOf(history)) {
    const by = serializationOf(step);
    if (by === undefined) continue;
    const id = JSON.stringify(by);
    const known = found.get(id) ?? { by, requests: new Set() };
    known.requests.add(step.request);
    found.set(id, known);
  }
  return [...found.values()]
    .sort((a, b) => b.requests.size - a.requests.size)
    .slice(0, MOST_NAMED)
    .map(({ by, requests }) => ({ ...by, requests: requests.size }));
}

function serializationOf(step: StepLine): Serialization | undefined {
  const { kind, verb, text, lock, error } = step;
  if (isDeadlockVictim(step)) return { code: 'deadlock-victim' };
  if (error !== undefined || step.pending === true) return undefined;
  if (kind === 'local' && verb === 'LOCK') return { code: 'mutex' };
  if (kind === 'timer' && verb === 'WAIT') return { code: 'lock' };
  if (kind === 'sql' && text.endsWith(' FOR UPDATE'))
    return { code: 'row-lock', statement: statementOf(step) };
  if (kind === 'sql' && verb === 'SELECT' && lock?.role === 'acquire') return { code: 'named-lock' };
  if (isRefusedWrite(step)) return { code: 'refused', statement: statementOf(step) };
  return undefined;
}

/** What serialized requests, and how many, for people. */
export const protectionText = (protection: Protection): string =>
  `${serializationText(protection)} (${protection.requests.toLocaleString('en')})`;

function serializationText(protection: Protection): string {
  switch (protection.code) {
    case 'deadlock-victim':
      return 'requests aborted by the database in a deadlock';
    case 'mutex':
      return 'requests waited for the mutex of their process';
    case 'lock':
      return 'requests waited for the lock';
    case 'row-lock':
      return `requests locked the row: ${protection.statement}`;
    case 'named-lock':
      return 'requests waited in the database: GET_LOCK';
    case 'refused':
      return `requests refused by ${protection.statement}`;
  }
}

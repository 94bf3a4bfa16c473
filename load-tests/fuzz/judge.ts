import type { FuzzResponse } from './exchange';
import type { FuzzRequest } from './request';

/** A violation by one response, in words. */
export type Complaint = string;

/** Statuses that mean: the request was rejected and changed nothing. */
const REFUSALS: ReadonlySet<number> = new Set([
  400, 403, 404, 405, 406, 408, 411, 413, 414, 415, 417, 422, 431, 501, 505,
]);

export const isRefusal = ({ status }: FuzzResponse): boolean => status === 0 || REFUSALS.has(status);

/** The table that records an Idempotency-Key with the result of its request. */
const KEY_TABLE = 'orders.placement';
const NOT_UNDERSTOOD = /^(REQUEST|STRATEGY|FAULT|IDEMPOTENCY)\./;

/**
 * The changes that a refused request was not allowed to make. A valid request with an Idempotency-Key may be recorded even if
 * it is refused (for example for an unknown product), because the same key must return the same answer.
 */
export function notAllowed(
  { bytes }: FuzzRequest,
  { body }: FuzzResponse,
  changed: readonly string[],
): readonly string[] {
  const isRemembered =
    !NOT_UNDERSTOOD.test(codeOf(body) ?? 'REQUEST.') &&
    /\r\nidempotency-key:/i.test(bytes.toString('latin1'));
  return isRemembered ? changed.filter((name) => name !== KEY_TABLE) : changed;
}

/** The stable code of a problem; undefined when the body holds none. */
export function codeOf(body: string): string | undefined {
  const code = parse(body)?.['code'];
  return typeof code === 'string' ? code : undefined;
}

/** Admissible 5xx statuses, each with its only code (a fuzz run never sends enough for OVERLOADED); the document of the endpoint must list them. */
const ADMISSIBLE: ReadonlyMap<number, string> = new Map([
  [501, 'COMPONENT.MISSING'],
  [502, 'OUTCOME_UNKNOWN'],
  [503, 'DEPENDENCY.DOWN'],
]);

const CODE = /^[A-Z]+(?:_[A-Z]+)*(?:\.[A-Z]+(?:_[A-Z]+)*)?$/;

/** Judges responses, and records the status of each code: a code with two statuses is not stable. */
export class Judge {
  private readonly statuses = new Map<string, number>();

  complaints(request: FuzzRequest, answer: FuzzResponse): Complaint[] {
    const { status } = answer;
    if (status === 0) return request.endless ? [] : ['the connection was closed without an answer'];
    if (status < 400) {
      if (request.forbidden) return [`${status} for what its OpenAPI document forbids`];
      return request.side === 'public' && request.wantsLab
        ? [`${status} from the public address for an endpoint of the lab`]
        : [];
    }
    return [...this.ofProblem(request, answer), ...ofServerError(request, answer)];
  }

  private ofProblem({ method }: FuzzRequest, { status, headers, body }: FuzzResponse): Complaint[] {
    if (method === 'HEAD') return [];
    const type = headers['content-type'] ?? 'no content type';
    if (!type.startsWith('application/problem+json')) return [`${status} is ${type} instead of problem+json`];
    const problem = parse(body);
    if (problem === undefined) return [`${status} with a body that is not a JSON object`];
    const { code, title, detail } = problem;
    const complaints: Complaint[] = [];
    if (problem['status'] !== status)
      complaints.push(`${status} with ${String(problem['status'])} in the status field`);
    if (typeof title !== 'string' || typeof detail !== 'string')
      complaints.push(`${status} without a title or detail`);
    if (typeof code !== 'string' || !CODE.test(code))
      return [...complaints, `${status} without a stable code: ${JSON.stringify(code)}`];
    const usual = this.statuses.get(code) ?? status;
    this.statuses.set(code, usual);
    if (usual !== status) complaints.push(`${code} is ${status} here and ${usual} elsewhere`);
    return complaints;
  }
}

function ofServerError(
  { admits, carriesFault, method }: FuzzRequest,
  { status, body }: FuzzResponse,
): Complaint[] {
  if (status < 500) return [];
  const code = ADMISSIBLE.get(status);
  if (code === undefined || !admits.has(status)) return [`${status}, which the endpoint does not document`];
  if (method !== 'HEAD' && parse(body)?.['code'] !== code) return [`${status} that is not ${code}`];
  return status === 501 || carriesFault ? [] : [`${status} although no fault was requested`];
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

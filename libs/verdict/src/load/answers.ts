import { groupBy } from '../group-by';
import type { ClientAnswer, Evidence } from './evidence';

/** Answers that the rows refute. */
export interface AnswerFindings {
  /** Requests answered APPLIED whose order or movement is missing. */
  readonly unrecorded: readonly string[];
  /** Requests with an order, answered as not sold. */
  readonly soldButRefused: readonly string[];
  /** Values of `Idempotency-Key` with more than one order. */
  readonly keysWithOrders: readonly string[];
  /** Requests whose movements are of more or fewer units than they ordered. */
  readonly otherUnits: readonly string[];
}

/** Answers that leave open whether the unit was sold. */
const OUTCOME_OPEN: ReadonlySet<string> = new Set([
  'OUTCOME_UNKNOWN',
  'NO_ANSWER',
  'IDEMPOTENCY.IN_PROGRESS',
]);

/** Whether the answer leaves open that the unit was sold. */
export const leavesOutcomeOpen = (code: string): boolean => OUTCOME_OPEN.has(code);

export const mayHaveBought = (code: string): boolean => code === 'APPLIED' || leavesOutcomeOpen(code);

/** Compares what the clients were answered with orders and movements. */
export function judgeAnswers(evidence: Evidence): AnswerFindings {
  const { answers, orders, movements } = evidence;
  const codes = new Map(answers.map(({ request, code }) => [request, code]));
  const ordered = new Set(orders.map(({ request }) => request));
  const moved = new Map(
    [...groupBy(movements, ({ request }) => request)].map(([request, all]) => [
      request,
      Math.abs(all.reduce((sum, { delta }) => sum + delta, 0)),
    ]),
  );
  const isRecorded = ({ request }: { readonly request: string }): boolean =>
    ordered.has(request) && moved.has(request);
  const recordedKeys = new Set(answers.filter(isRecorded).map(({ key }) => key));
  return {
    unrecorded: answers
      .filter(({ code }) => code === 'APPLIED')
      .filter((answer) => !isRecorded(answer) && !(answer.key !== undefined && recordedKeys.has(answer.key)))
      .map(({ request }) => request),
    soldButRefused: [...ordered].filter((request) => !mayHaveBought(codes.get(request) ?? 'NO_ANSWER')),
    keysWithOrders: purchasesOf(evidence)
      .filter(({ orders: made }) => made > 1)
      .map(({ key }) => key),
    otherUnits: answers
      .filter(({ code }) => mayHaveBought(code))
      .filter(({ request, quantity }) => (moved.get(request) ?? Math.abs(quantity)) !== Math.abs(quantity))
      .map(({ request }) => request),
  };
}

/** All requests under one Idempotency-Key. */
export interface Purchase {
  readonly key: string;
  /** The number of requests, and the code of the last answer. */
  readonly asked: number;
  readonly code: string;
  /** The orders that these requests created. */
  readonly orders: number;
}

export function purchasesOf({ answers, orders }: Pick<Evidence, 'answers' | 'orders'>): readonly Purchase[] {
  const keyed = answers.flatMap((answer): (ClientAnswer & { readonly key: string })[] =>
    answer.key === undefined ? [] : [{ ...answer, key: answer.key }],
  );
  const ordered = groupBy(orders, ({ request }) => request);
  return [...groupBy(keyed, ({ key }) => key)].map(([key, attempts]) => ({
    key,
    asked: attempts.length,
    code: attempts.at(-1)?.code ?? 'NO_ANSWER',
    orders: [...new Set(attempts.map(({ request }) => request))].reduce(
      (sum, request) => sum + (ordered.get(request)?.length ?? 0),
      0,
    ),
  }));
}

import { count } from '#lab/step';
import type { ClientAnswer } from '#lab/verdict';
import type { Offered } from '#load-tests/arrivals';
import { clientAnswer, firstRequest } from './buyer-request';
import { sendClosedLoop } from './closed-loop';
import { ANSWER_TIMEOUT_MS, type Inbox } from './inbox';
import type { LoadObserver } from './observer';
import { sendOpenLoop } from './open-loop';
import { sendOrder } from './order-client';
import type { LoadPlan } from './plan';
import { UnexpectedAnswerCollector } from './unexpected';

/** The answers of a run, as the clients received them. */
export interface Traffic {
  readonly answers: readonly ClientAnswer[];
  /** Requests that were sent and never answered. */
  readonly unanswered: number;
  /** From the first request to the last answer, milliseconds. */
  readonly tookMs: number;
  /** The rate of an open loop. */
  readonly offered?: Offered;
  readonly unexpected: UnexpectedAnswerCollector;
}

/**
 * Sends the load through nginx and records every answer: in a closed loop, or in an open loop if the plan has one. `run` makes
 * the request ids unique. Rejects when the observer ends the run; the apps may still be at work on requests then.
 */
export async function sendLoad(
  url: string,
  plan: LoadPlan,
  run: string,
  { progress, sent: onSent, answer: onAnswer, signal }: LoadObserver,
): Promise<Traffic> {
  signal?.throwIfAborted();
  const answers: ClientAnswer[] = [];
  const unexpected = new UnexpectedAnswerCollector(plan.fault !== undefined || plan.down !== undefined);
  const inbox: Inbox = {
    sent: () => {
      onSent?.();
    },
    answered: (answer, text) => {
      unexpected.note(answer.request, answer.status, text);
      answers.push(answer);
      onAnswer?.(answer);
      progress(`${answers.length} of ${count(plan.requests, 'answer')}`);
    },
    signal,
  };
  let offered: Offered | undefined;
  if (plan.openLoop === undefined) await sendClosedLoop(url, plan, run, inbox);
  else offered = await sendOpenLoop(url, plan, plan.openLoop, run, inbox);
  signal?.throwIfAborted();
  return {
    answers,
    unanswered: plan.requests - answers.length,
    tookMs: answers.reduce((last, { at, tookMs }) => Math.max(last, at + tookMs), 0),
    ...(offered !== undefined && { offered }),
    unexpected,
  };
}

/** Sends one order with the fault, before the load. */
export async function sendOne(
  url: string,
  plan: LoadPlan,
  id: string,
  { sent, answer: onAnswer, signal }: LoadObserver,
): Promise<ClientAnswer> {
  sent?.();
  const begun = performance.now();
  const first = firstRequest(plan, id);
  const response = await sendOrder(url, {
    path: first.path,
    body: first.body,
    id,
    fault: plan.fault?.header,
    timeoutMs: ANSWER_TIMEOUT_MS,
    signal,
  });
  const answer = clientAnswer(plan, response, first, { at: 0, tookMs: performance.now() - begun });
  onAnswer?.(answer);
  return answer;
}

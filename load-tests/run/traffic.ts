import { count } from '#lab/step';
import { choiceQuery } from '#lab/strategy';
import type { ClientAnswer } from '#lab/verdict';
import autocannon from 'autocannon';
import type { LoadObserver } from './observer';
import { orderHeaders, readAnswer, sendOrder, type OrderResponse } from './order-client';
import { cartOf, type LoadPlan } from './plan';
import { UnexpectedAnswerCollector } from './unexpected';

/** The answers of a run, as the clients received them. */
export interface Traffic {
  readonly answers: readonly ClientAnswer[];
  /** Requests that were sent and never answered. */
  readonly unanswered: number;
  /** From the first request to the last answer, milliseconds. */
  readonly tookMs: number;
  readonly unexpected: UnexpectedAnswerCollector;
}

/** What autocannon keeps of a request until its answer arrives. */
interface RequestContext {
  cart?: readonly string[] | undefined;
  request?: string;
  at?: number;
}

/** Longer than wait, work and pause together, so that a slow answer is not counted as missing. Seconds. */
const ANSWER_TIMEOUT_S = 60;

/** autocannon ends, or obeys `stop`, at the next tick. */
const TICK_MS = 100;

/** The order or entry of buyer `number`; number 0 is the buyer that comes before the load. */
function bodyOf(plan: LoadPlan, number: number): object {
  const { balance, quantity, amountMinor } = plan;
  if (amountMinor !== undefined) return { amountMinor };
  const cart = cartOf(plan, number);
  const buyer = number === 0 ? 'first buyer' : `buyer ${number}`;
  const wanted =
    cart === undefined ? { sku: balance, quantity } : { lines: cart.map((one) => ({ sku: one, quantity })) };
  return { ...wanted, buyer };
}

const orderPath = ({ strategy, options, mixedWith, amountMinor, balance }: LoadPlan, number = 1): string =>
  `/${amountMinor === undefined ? 'orders' : `accounts/${balance}/entries`}?${choiceQuery(number % 2 === 0 ? (mixedWith?.strategy ?? strategy) : strategy, options)}`;

/**
 * Sends the load through nginx with autocannon and records every answer. `run` makes the request ids unique. Rejects when the
 * observer ends the run; the apps may still be at work on requests then.
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
  const begun = performance.now();
  let sent = 0;
  const load: autocannon.Options = {
    url,
    connections: Math.min(plan.connections, plan.requests),
    amount: plan.requests,
    timeout: ANSWER_TIMEOUT_S,
    sampleInt: TICK_MS,
    requests: [
      {
        method: 'POST',
        path: orderPath(plan),
        setupRequest: (req, context) => {
          const number = ++sent;
          onSent?.();
          const id = `${run}-${number}`;
          Object.assign(context as RequestContext, {
            request: id,
            at: performance.now() - begun,
            cart: cartOf(plan, number),
          });
          return {
            ...req,
            path: orderPath(plan, number),
            headers: orderHeaders({ id, fault: faultFor(plan, number) }),
            body: JSON.stringify(bodyOf(plan, number)),
          };
        },
        onResponse: (status, text, context, headers) => {
          const { request: id = '?', at = 0, cart } = context as RequestContext;
          const tookMs = performance.now() - begun - at;
          unexpected.note(id, status, text);
          const answer = clientAnswer(plan, readAnswer(status, headers, text), {
            request: id,
            cart,
            at,
            tookMs,
          });
          answers.push(answer);
          onAnswer?.(answer);
          progress(`${answers.length} of ${count(plan.requests, 'answer')}`);
        },
      },
    ],
  };
  await fire(load, signal);
  signal?.throwIfAborted();
  const last = Math.max(0, ...answers.map(({ at, tookMs }) => at + tookMs));
  return { answers, unanswered: plan.requests - answers.length, tookMs: last, unexpected };
}

/** Runs autocannon to its end, or until the signal is aborted. */
function fire(load: autocannon.Options, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(load, (error: unknown) => {
      signal?.removeEventListener('abort', stop);
      if (error instanceof Error) reject(error);
      else resolve();
    });
    const stop = (): void => {
      instance.stop();
    };
    signal?.addEventListener('abort', stop);
  });
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
  const response = await sendOrder(url, {
    path: orderPath(plan),
    body: bodyOf(plan, 0),
    id,
    fault: plan.fault?.header,
    timeoutMs: ANSWER_TIMEOUT_S * 1000,
    signal,
  });
  const tookMs = performance.now() - begun;
  const answer = clientAnswer(plan, response, { request: id, cart: cartOf(plan, 0), at: 0, tookMs });
  onAnswer?.(answer);
  return answer;
}

const clientAnswer = (
  { quantity }: LoadPlan,
  { status, code, replica }: OrderResponse,
  { request, cart, at, tookMs }: Required<RequestContext> & { tookMs: number },
): ClientAnswer => ({
  request,
  status,
  code,
  quantity,
  ...(cart !== undefined && { cart }),
  replica,
  at,
  tookMs,
});

/** The fault that request `number` of the load carries; undefined: none. */
function faultFor({ fault }: LoadPlan, number: number): string | undefined {
  if (fault === undefined || fault.on.kind === 'first') return undefined;
  const isHit = fault.on.kind === 'nth' ? number === fault.on.n : number % fault.on.n === 0;
  return isHit ? fault.header : undefined;
}

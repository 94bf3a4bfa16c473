import { choiceQuery } from '#lab/strategy';
import type { ClientAnswer } from '#lab/verdict';
import autocannon from 'autocannon';
import { request } from 'undici';
import { cartOf, type LoadPlan } from './plan';

/** What the clients saw. */
export interface Traffic {
  readonly answers: readonly ClientAnswer[];
  /** Requests that were sent and never answered. */
  readonly unanswered: number;
  /** From the first request to the last answer, milliseconds. */
  readonly tookMs: number;
}

interface Sending {
  cart?: readonly string[] | undefined;
  request?: string;
  at?: number;
}

/** Longer than wait, work and pause together: a slow answer is still an answer. Seconds. */
const LONGEST_ANSWER_S = 60;

/** What the buyer of this number asks for; the first one has number 0. */
function body(plan: LoadPlan, number: number): string {
  const { sku, quantity, amountMinor } = plan;
  if (amountMinor !== undefined) return JSON.stringify({ amountMinor });
  const cart = cartOf(plan, number);
  const buyer = number === 0 ? 'first buyer' : `buyer ${number}`;
  const wanted =
    cart === undefined ? { sku, quantity } : { lines: cart.map((one) => ({ sku: one, quantity })) };
  return JSON.stringify({ ...wanted, buyer });
}

const orderPath = ({ strategy, options, mixedWith, amountMinor, sku }: LoadPlan, number = 1): string =>
  `/${amountMinor === undefined ? 'orders' : `accounts/${sku}/entries`}?${choiceQuery(number % 2 === 0 ? (mixedWith?.strategy ?? strategy) : strategy, options)}`;

/** Sends the load through nginx with autocannon and notes every answer. `run` makes the request ids unique. */
export async function sendLoad(
  url: string,
  plan: LoadPlan,
  run: string,
  onAnswer: (count: number) => void,
): Promise<Traffic> {
  const answers: ClientAnswer[] = [];
  const begun = performance.now();
  let sent = 0;
  const instance = autocannon({
    url,
    connections: Math.min(plan.connections, plan.requests),
    amount: plan.requests,
    timeout: LONGEST_ANSWER_S,
    requests: [
      {
        method: 'POST',
        path: orderPath(plan),
        setupRequest: (req, context) => {
          const number = ++sent;
          const id = `${run}-${number}`;
          Object.assign(context as Sending, {
            request: id,
            at: performance.now() - begun,
            cart: cartOf(plan, number),
          });
          const headers = {
            'content-type': 'application/json',
            'x-request-id': id,
            ...faultHeader(plan, number),
          };
          return { ...req, path: orderPath(plan, number), headers, body: body(plan, number) };
        },
        onResponse: (status, text, context, headers) => {
          const { request: id = '?', at = 0, cart } = context as Sending;
          const tookMs = performance.now() - begun - at;
          const replica = headerOf(headers, 'x-replica');
          answers.push({
            request: id,
            status,
            code: codeOf(status, text),
            quantity: plan.quantity,
            ...(cart !== undefined && { cart }),
            replica,
            at,
            tookMs,
          });
          onAnswer(answers.length);
        },
      },
    ],
  });
  await instance;
  const last = Math.max(0, ...answers.map(({ at, tookMs }) => at + tookMs));
  return { answers, unanswered: plan.requests - answers.length, tookMs: last };
}

/** Sends one order, alone, with the fault. */
export async function sendOne(url: string, plan: LoadPlan, id: string): Promise<ClientAnswer> {
  const begun = performance.now();
  const response = await request(`${url}${orderPath(plan)}`, {
    method: 'POST',
    headersTimeout: LONGEST_ANSWER_S * 1000,
    headers: {
      'content-type': 'application/json',
      'x-request-id': id,
      ...(plan.fault && { 'x-fault': plan.fault.header }),
    },
    body: body(plan, 0),
  });
  const text = await response.body.text();
  const { statusCode: status } = response;
  const cart = cartOf(plan, 0);
  const replica = headerOf(response.headers, 'x-replica');
  return {
    request: id,
    status,
    code: codeOf(status, text),
    quantity: plan.quantity,
    ...(cart !== undefined && { cart }),
    replica,
    at: 0,
    tookMs: performance.now() - begun,
  };
}

function faultHeader({ fault }: LoadPlan, number: number): Record<string, string> {
  if (fault === undefined || fault.on.kind === 'first') return {};
  const hit = fault.on.kind === 'nth' ? number === fault.on.n : number % fault.on.n === 0;
  return hit ? { 'x-fault': fault.header } : {};
}

function codeOf(status: number, text: string): string {
  if (status === 201) return 'APPLIED';
  try {
    return (JSON.parse(text) as { code?: string }).code ?? `HTTP ${status}`;
  } catch {
    return `HTTP ${status}`;
  }
}

function headerOf(headers: unknown, name: string): string | null {
  const entries = Object.entries((headers ?? {}) as Record<string, string>);
  return entries.find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
}

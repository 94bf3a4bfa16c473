import { request, type Dispatcher } from 'undici';

/** An order, or an entry of an account, as a client sends it. */
export interface OrderRequest {
  /** Path and query: `/orders?strategy=…`, `/accounts/ID/entries?strategy=…`. */
  readonly path: string;
  readonly body: object;
  /** `x-request-id`. */
  readonly id?: string | undefined;
  /** `Idempotency-Key`, without its quotes. */
  readonly key?: string | undefined;
  /** `x-fault`; only the lab address reads it. */
  readonly fault?: string | undefined;
  /** Milliseconds until the head of the answer must have arrived. */
  readonly timeoutMs: number;
  /** Closes the connection; the app may still execute the request. */
  readonly signal?: AbortSignal | undefined;
  /** Connections to use; undici's global agent when absent. */
  readonly dispatcher?: Dispatcher;
}

export interface OrderResponse {
  readonly status: number;
  /** `APPLIED`, the code of the problem, or `HTTP <status>` when the body holds no readable code. */
  readonly code: string;
  /** The replica that answered. */
  readonly replica: string | null;
  /** The answer repeats the recorded result of an earlier request with the same key. */
  readonly isReplayed: boolean;
  /** The request that bought the order: this one, or an earlier one with the same key. Only of a readable order. */
  readonly boughtBy?: string;
}

const CREATED = 201;

/** Sends one order to `url` and reads its answer. Rejects when no answer arrives. */
export async function sendOrder(url: string, order: OrderRequest): Promise<OrderResponse> {
  const { path, timeoutMs, signal, dispatcher } = order;
  const { statusCode, headers, body } = await request(`${url}${path}`, {
    method: 'POST',
    headersTimeout: timeoutMs,
    headers: orderHeaders(order),
    body: JSON.stringify(order.body),
    ...(signal !== undefined && { signal }),
    ...(dispatcher !== undefined && { dispatcher }),
  });
  return readAnswer(statusCode, headers, await body.text());
}

export const orderHeaders = ({
  id,
  key,
  fault,
}: Pick<OrderRequest, 'id' | 'key' | 'fault'>): Record<string, string> => ({
  'content-type': 'application/json',
  ...(id !== undefined && { 'x-request-id': id }),
  ...(key !== undefined && { 'idempotency-key': `"${key}"` }),
  ...(fault !== undefined && { 'x-fault': fault }),
});

/** Header names may be in any case: autocannon keeps that of the wire. An unreadable body is no error. */
export function readAnswer(status: number, headers: unknown, text: string): OrderResponse {
  const { code, request: boughtBy } = parseAnswer(text);
  return {
    status,
    code: status === CREATED ? 'APPLIED' : (code ?? `HTTP ${status}`),
    replica: headerOf(headers, 'x-replica'),
    isReplayed: headerOf(headers, 'idempotency-replayed') === 'true',
    ...(status === CREATED && boughtBy !== undefined && { boughtBy }),
  };
}

function parseAnswer(text: string): { code?: string; request?: string } {
  try {
    return (JSON.parse(text) as { code?: string; request?: string } | null) ?? {};
  } catch {
    return {};
  }
}

function headerOf(headers: unknown, name: string): string | null {
  const entries = Object.entries((headers ?? {}) as Record<string, string>);
  return entries.find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
}

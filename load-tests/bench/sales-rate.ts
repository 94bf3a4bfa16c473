import autocannon from 'autocannon';
import { UnexpectedAnswerCollector } from '#load-tests/run';

export interface Rush {
  readonly connections: number;
  readonly requests: number;
  /** The orders use these products in turn. */
  readonly skus: readonly string[];
  /** Query of the path: strategy and options. */
  readonly query: string;
}

/** Number and rate of sales. */
export interface SalesRate {
  readonly sales: number;
  /** Sales per second, from the first request to the last answer. */
  readonly perSecond: number;
  /** Number of answers other than 201, by status; `0`: requests without an answer. */
  readonly others: Readonly<Record<string, number>>;
  readonly unexpected: UnexpectedAnswerCollector;
}

/** Sends orders through nginx and counts 201s until the last answer: autocannon's own duration ends on a timer tick. */
export async function salesRate(
  url: string,
  { connections, requests, skus, query }: Rush,
): Promise<SalesRate> {
  let sent = 0;
  let sales = 0;
  let last = 0;
  const others: Record<string, number> = {};
  const unexpected = new UnexpectedAnswerCollector(false);
  const begun = performance.now();
  const instance = autocannon({
    url,
    connections,
    amount: requests,
    timeout: 30,
    requests: [
      {
        method: 'POST',
        path: `/orders?${query}`,
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({
          ...request,
          body: JSON.stringify({ sku: skus[sent++ % skus.length], quantity: 1, buyer: 'bench' }),
        }),
        onResponse: (status, body, _context, headers) => {
          last = performance.now();
          if (status === 201) sales++;
          else others[status] = (others[status] ?? 0) + 1;
          unexpected.note(requestIdOf(headers), status, body);
        },
      },
    ],
  });
  await instance;
  const unanswered = requests - sales - Object.values(others).reduce((sum, n) => sum + n, 0);
  return {
    sales,
    perSecond: (1000 * sales) / (last - begun),
    others: { ...others, ...(unanswered > 0 && { 0: unanswered }) },
    unexpected,
  };
}

/** The id that nginx gave the request. */
function requestIdOf(headers: unknown): string {
  const entries = Object.entries((headers ?? {}) as Record<string, string>);
  return entries.find(([name]) => name.toLowerCase() === 'x-request-id')?.[1] ?? '?';
}

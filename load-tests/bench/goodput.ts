import { offer, type Offered as SendingRate } from '#load-tests/arrivals';
import { percentile } from '#load-tests/figures';

/** Orders that arrive at a rate, however fast the shop answers. */
export interface Offer {
  readonly perSecond: number;
  readonly seconds: number;
  /** The orders use these products in turn. */
  readonly skus: readonly string[];
  readonly query: string;
}

/** Results of an open loop of orders. Rates count the answers that arrived while orders were being sent. */
export interface Offered {
  /** Orders that were sent, per second: less than asked for when this process cannot send faster. */
  readonly offeredPerSecond: number;
  /** Sales per second. */
  readonly goodputPerSecond: number;
  /** Share of all orders that were answered `OVERLOADED`, sooner or later. */
  readonly refusedShare: number;
  /** Number of other answers: `no answer`, or the status with the code of the problem. Of the whole run. */
  readonly others: Readonly<Record<string, number>>;
  /** Latency of the sales, from the time at which the order was due to the whole answer. Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** More than the replicas admit, so that the client is not the one that bounds the orders. */
const IN_FLIGHT = 1500;

type Outcome = 'sold' | 'refused' | { readonly other: string };

interface Answer {
  readonly outcome: Outcome;
  /** Since the first order, milliseconds. */
  readonly at: number;
  readonly tookMs: number;
}

/** Sends the orders when they are due, at equal intervals, and resolves when all are answered. */
export async function offerOrders(url: string, { perSecond, seconds, skus, query }: Offer): Promise<Offered> {
  const answers: Answer[] = [];
  const loop = { perSecond, seconds, arrivals: 'constant', seed: 0, inFlight: IN_FLIGHT } as const;
  const offered = await offer(url, loop, {
    request: (number) => ({
      path: `/orders?${query}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sku: skus[number % skus.length] ?? '', quantity: 1, buyer: 'bench' }),
    }),
    onEnd: ({ dueAt, endedAt, answer }) => {
      const outcome = answer === undefined ? { other: 'no answer' } : outcomeOf(answer.status, answer.text);
      answers.push({ outcome, at: endedAt, tookMs: endedAt - dueAt });
    },
  });
  return aggregate(answers, offered);
}

function outcomeOf(status: number, text: string): Outcome {
  if (status === 201) return 'sold';
  const code = /"code":"([^"]+)"/.exec(text)?.[1];
  if (status === 503 && code === 'OVERLOADED') return 'refused';
  return { other: [status, code].join(' ').trim() };
}

function aggregate(answers: readonly Answer[], { perSecond, tookMs: windowMs }: SendingRate): Offered {
  const others: Record<string, number> = {};
  for (const { outcome } of answers)
    if (typeof outcome === 'object') others[outcome.other] = (others[outcome.other] ?? 0) + 1;
  const sales = answers.filter(({ outcome }) => outcome === 'sold');
  const latencies = sales.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return {
    offeredPerSecond: perSecond,
    goodputPerSecond: (1000 * sales.filter(({ at }) => at <= windowMs).length) / windowMs,
    refusedShare: answers.filter(({ outcome }) => outcome === 'refused').length / answers.length,
    others,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';

/** Orders that arrive at a rate, however fast the shop answers. */
export interface Offer {
  readonly perSecond: number;
  readonly seconds: number;
  /** The orders use these products in turn. */
  readonly skus: readonly string[];
  readonly query: string;
}

/** What became of the orders of an offer. Rates are of the answers that arrived while orders were being sent. */
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
const CONNECTIONS = 1500;
const ANSWER_TIMEOUT_MS = 60_000;
/** Interval at which the due orders are sent. */
const TICK_MS = 4;

/** Keep-alive connections, each used for one order at a time. */
class Connections {
  private readonly clients: Client[] = [];
  private readonly idle: Client[] = [];
  private readonly waiters: ((client: Client) => void)[] = [];

  constructor(private readonly url: string) {}

  /** Resolves with an idle connection. undici's own pool searches all its connections for each request. */
  acquire(): Client | Promise<Client> {
    const idle = this.idle.pop();
    if (idle !== undefined) return idle;
    if (this.clients.length >= CONNECTIONS) return new Promise((resolve) => this.waiters.push(resolve));
    const client = new Client(this.url, { headersTimeout: ANSWER_TIMEOUT_MS });
    this.clients.push(client);
    return client;
  }

  release(client: Client): void {
    const next = this.waiters.shift();
    if (next === undefined) this.idle.push(client);
    else next(client);
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
  }
}

type Outcome = 'sold' | 'refused' | { readonly other: string };

interface Answer {
  readonly outcome: Outcome;
  /** Since the first order, milliseconds. */
  readonly at: number;
  readonly tookMs: number;
}

/** Sends the orders when they are due, and resolves when all are answered. */
export async function offerOrders(url: string, offer: Offer): Promise<Offered> {
  const connections = new Connections(url);
  const { perSecond, seconds, skus } = offer;
  const total = Math.round(perSecond * seconds);
  const answers: Answer[] = [];
  const pending = new Set<Promise<void>>();
  const begun = performance.now();
  const send = async (number: number): Promise<void> => {
    const dueAt = (1000 * number) / perSecond;
    const outcome = await order(connections, offer.query, skus[number % skus.length] ?? '');
    const at = performance.now() - begun;
    answers.push({ outcome, at, tookMs: at - dueAt });
  };
  let sent = 0;
  let sentIn = 0;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) * perSecond) / 1000) + 1);
    for (; sent < due; sent++) {
      const one = send(sent);
      pending.add(one);
      void one.finally(() => pending.delete(one));
    }
    sentIn = performance.now() - begun;
    await delay(TICK_MS);
  }
  await Promise.all(pending);
  await connections.close();
  return aggregate(answers, total, Math.max(sentIn, 1000 * seconds));
}

async function order(connections: Connections, query: string, sku: string): Promise<Outcome> {
  const client = await connections.acquire();
  try {
    const { statusCode, body } = await client.request({
      path: `/orders?${query}`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sku, quantity: 1, buyer: 'bench' }),
    });
    return outcomeOf(statusCode, await body.text());
  } catch {
    return { other: 'no answer' };
  } finally {
    connections.release(client);
  }
}

function outcomeOf(status: number, text: string): Outcome {
  if (status === 201) return 'sold';
  const code = /"code":"([^"]+)"/.exec(text)?.[1];
  if (status === 503 && code === 'OVERLOADED') return 'refused';
  return { other: [status, code].join(' ').trim() };
}

function aggregate(answers: readonly Answer[], sent: number, windowMs: number): Offered {
  const perSecond = (count: number): number => (1000 * count) / windowMs;
  const others: Record<string, number> = {};
  for (const { outcome } of answers)
    if (typeof outcome === 'object') others[outcome.other] = (others[outcome.other] ?? 0) + 1;
  const sales = answers.filter(({ outcome }) => outcome === 'sold');
  const latencies = sales.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const percentile = (p: number): number => latencies[Math.ceil(p * latencies.length) - 1] ?? NaN;
  return {
    offeredPerSecond: perSecond(sent),
    goodputPerSecond: perSecond(sales.filter(({ at }) => at <= windowMs).length),
    refusedShare: answers.filter(({ outcome }) => outcome === 'refused').length / sent,
    others,
    p50: percentile(0.5),
    p99: percentile(0.99),
  };
}

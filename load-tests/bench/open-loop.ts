import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';

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
  /** Number of other answers by status; `0`: no answer. Of the whole run. */
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

interface Answer {
  readonly status: number;
  /** Since the first order, milliseconds. */
  readonly at: number;
  readonly tookMs: number;
}

/** Sends the orders when they are due, and resolves when all are answered. */
export async function offerOrders(url: string, offer: Offer): Promise<Offered> {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1, headersTimeout: ANSWER_TIMEOUT_MS });
  const { perSecond, seconds, skus } = offer;
  const total = Math.round(perSecond * seconds);
  const answers: Answer[] = [];
  const pending = new Set<Promise<void>>();
  const begun = performance.now();
  const send = async (number: number): Promise<void> => {
    const dueAt = (1000 * number) / perSecond;
    const status = await order(pool, offer.query, skus[number % skus.length] ?? '');
    const at = performance.now() - begun;
    answers.push({ status, at, tookMs: at - dueAt });
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
  await pool.close();
  return aggregate(answers, total, Math.max(sentIn, 1000 * seconds));
}

async function order(pool: Pool, query: string, sku: string): Promise<number> {
  try {
    const { statusCode, body } = await pool.request({
      path: `/orders?${query}`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sku, quantity: 1, buyer: 'bench' }),
    });
    const text = await body.text();
    return statusCode === 503 && !text.includes('"OVERLOADED"') ? DOWN : statusCode;
  } catch {
    return NO_ANSWER;
  }
}

const SOLD = 201;
const REFUSED = 503;
const NO_ANSWER = 0;
/** A 503 with another code than `OVERLOADED`, kept apart from the refusals. */
const DOWN = 5030;

function aggregate(answers: readonly Answer[], sent: number, windowMs: number): Offered {
  const perSecond = (count: number): number => (1000 * count) / windowMs;
  const inTime = answers.filter(({ at }) => at <= windowMs);
  const others: Record<string, number> = {};
  for (const { status } of answers)
    if (status !== SOLD && status !== REFUSED) others[status] = (others[status] ?? 0) + 1;
  const latencies = answers
    .filter(({ status }) => status === SOLD)
    .map(({ tookMs }) => tookMs)
    .sort((a, b) => a - b);
  const percentile = (p: number): number => latencies[Math.ceil(p * latencies.length) - 1] ?? NaN;
  return {
    offeredPerSecond: perSecond(sent),
    goodputPerSecond: perSecond(inTime.filter(({ status }) => status === SOLD).length),
    refusedShare: answers.filter(({ status }) => status === REFUSED).length / sent,
    others,
    p50: percentile(0.5),
    p99: percentile(0.99),
  };
}

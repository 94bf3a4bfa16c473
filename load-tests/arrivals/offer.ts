import { percentile } from '#load-tests/figures';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'undici';
import { Connections } from './connections';
import { dueTimes, type OpenLoop } from './due-times';

/** A POST request. */
export interface OutgoingRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One request of an open loop. Times are milliseconds since the start. */
export interface Arrival {
  /** Counted from 1, in the order of arrival. */
  readonly number: number;
  readonly dueAt: number;
  readonly sentAt: number;
  readonly endedAt: number;
  /** Absent: no answer arrived. */
  readonly answer?: { readonly status: number; readonly headers: unknown; readonly text: string };
}

/** What is sent, and what receives the answers. */
export interface OpenLoopTraffic {
  /** Called when the request is sent. */
  readonly request: (number: number) => OutgoingRequest;
  readonly onEnd: (arrival: Arrival) => void;
  /** Ends the loop: no further request is sent, and those in flight end without an answer. */
  readonly signal?: AbortSignal | undefined;
}

/** The rate that was really offered. */
export interface Offered {
  readonly askedPerSecond: number;
  /** Requests that were sent, per second. */
  readonly perSecond: number;
  /** Time in which they were sent, at least the planned one. Milliseconds. */
  readonly tookMs: number;
  /** How long after its due time a request was sent, milliseconds. */
  readonly lateP99Ms: number;
  readonly lateMaxMs: number;
  /** Requests that were late because as many as allowed were in flight. */
  readonly waited: number;
  /** The rate was offered as asked: neither the rate nor the due times were missed by more than the tolerance. */
  readonly asAsked: boolean;
}

/** The share of the rate that must be reached, and how late 99 % of the requests may be. */
const LEAST_SHARE = 0.99;
const LATE_MS = 50;

/** Upper limit of a pause of the loop, so that it sees an aborted signal. Milliseconds. */
const LONGEST_PAUSE_MS = 100;

/** Sends each request when it is due, whether or not the earlier ones were answered; resolves when all have ended. */
export async function offer(url: string, loop: OpenLoop, traffic: OpenLoopTraffic): Promise<Offered> {
  const due = dueTimes(loop);
  const connections = new Connections(url, loop.inFlight);
  const late: number[] = [];
  let waited = 0;
  let lastSentAt = 0;
  const begun = performance.now();
  const now = (): number => performance.now() - begun;

  const send = async (number: number, dueAt: number): Promise<void> => {
    let client = connections.tryAcquire();
    if (client === undefined) {
      waited++;
      client = await connections.acquire();
    }
    try {
      if (traffic.signal?.aborted === true) return;
      const sentAt = (lastSentAt = now());
      late.push(sentAt - dueAt);
      const answer = await post(client, traffic.request(number));
      traffic.onEnd({ number, dueAt, sentAt, endedAt: now(), ...(answer !== undefined && { answer }) });
    } finally {
      connections.release(client);
    }
  };

  const pending = new Set<Promise<void>>();
  const stop = (): void => void connections.destroy();
  traffic.signal?.addEventListener('abort', stop);
  try {
    for (let next = 0; next < due.length && traffic.signal?.aborted !== true;) {
      for (const at = now(); next < due.length && (due[next] ?? 0) <= at; next++) {
        const one = send(next + 1, due[next] ?? 0);
        pending.add(one);
        one.then(
          () => pending.delete(one),
          () => undefined,
        ); // a rejection stays, and is thrown below
      }
      await delay(Math.min(LONGEST_PAUSE_MS, Math.max(1, (due[next] ?? 0) - now())));
    }
    await Promise.all(pending);
  } finally {
    traffic.signal?.removeEventListener('abort', stop);
    await connections.destroy();
  }
  return offeredBy(loop, { late, waited, lastSentAt });
}

async function post(
  client: Client,
  { path, headers, body }: OutgoingRequest,
): Promise<Arrival['answer'] | undefined> {
  try {
    const response = await client.request({ method: 'POST', path, headers, body });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text };
  } catch {
    return undefined;
  }
}

function offeredBy(
  { perSecond: asked, seconds }: OpenLoop,
  { late, waited, lastSentAt }: { late: number[]; waited: number; lastSentAt: number },
): Offered {
  const tookMs = Math.max(1000 * seconds, lastSentAt);
  const perSecond = (1000 * late.length) / tookMs;
  late.sort((a, b) => a - b);
  const lateP99Ms = percentile(late, 0.99);
  return {
    askedPerSecond: asked,
    perSecond,
    tookMs,
    lateP99Ms,
    lateMaxMs: percentile(late, 1),
    waited,
    asAsked: perSecond >= LEAST_SHARE * asked && lateP99Ms <= LATE_MS,
  };
}

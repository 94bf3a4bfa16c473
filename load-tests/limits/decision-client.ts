import type { LimitRow } from './rows';
import { Agent, request } from 'undici';

/** What a client received for one request. */
export interface LimitAnswer {
  readonly status: number;
  readonly tookMs: number;
}

/** Any product: a request that reads one changes nothing, and costs one statement. */
const PATH = '/products/phone';
const ANSWER_MS = 30_000;

/** The path and query of a row's requests. */
export function pathOf({ limiter, limit: { max, windowMs, burst }, onError }: LimitRow): string {
  const query = new URLSearchParams({ limit: limiter.name, max: String(max), windowMs: String(windowMs) });
  if (limiter.burst !== undefined) query.set('burst', String(burst));
  if (onError !== undefined) query.set('onError', onError);
  return `${PATH}?${query.toString()}`;
}

/** Sends the requests of clients of a row. */
export class DecisionClient {
  private readonly agent = new Agent({ connections: 128, headersTimeout: ANSWER_MS });

  constructor(private readonly row: LimitRow) {}

  /** Sends one request to `url`. Status 0: there was no answer. */
  async send(url: string, client: string, fault?: string): Promise<LimitAnswer> {
    const begun = performance.now();
    const status = await request(`${url}${pathOf(this.row)}`, {
      dispatcher: this.agent,
      headers: { 'x-client': client, ...(fault !== undefined && { 'x-fault': fault }) },
    }).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      },
      () => 0,
    );
    return { status, tookMs: performance.now() - begun };
  }

  /** Sends so many requests at once, and resolves with all answers. */
  sendMany(url: string, client: string, count: number, fault?: string): Promise<LimitAnswer[]> {
    return Promise.all(Array.from({ length: count }, () => this.send(url, client, fault)));
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}

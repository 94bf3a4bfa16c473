import type { Done } from '#lab/guard';
import { percentile } from '#load-tests/figures';
import { Pool } from 'undici';

/** What many readers of one page received, all of whom sent their request at the same moment. */
export interface Burst {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** For how long the page had expired at most when a reader received it, milliseconds. */
  readonly staleMs: number;
  /** Number of answers without a page, by status. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Readers with a connection each, which stays open. */
export class Readers {
  private readonly pool: Pool;

  constructor(
    url: string,
    private readonly count: number,
  ) {
    this.pool = new Pool(url, { connections: count, pipelining: 1, headersTimeout: 60_000 });
  }

  /** Every reader requests the page once, at the same moment. */
  async burst(path: string): Promise<Burst> {
    const took: number[] = [];
    const refused: Record<string, number> = {};
    let staleMs = 0;
    const read = async (): Promise<void> => {
      const begun = performance.now();
      const { statusCode, body } = await this.pool.request({ method: 'GET', path });
      const text = await body.text();
      took.push(performance.now() - begun);
      if (statusCode === 200) staleMs = Math.max(staleMs, (JSON.parse(text) as Done).page?.staleMs ?? 0);
      else refused[statusCode] = (refused[statusCode] ?? 0) + 1;
    };
    await Promise.all(Array.from({ length: this.count }, read));
    took.sort((a, b) => a - b);
    return {
      p50Ms: percentile(took, 0.5),
      p99Ms: percentile(took, 0.99),
      longestMs: took.at(-1) ?? NaN,
      staleMs,
      refused,
    };
  }

  /** One request with a fault, whose replica dies. */
  async dyingReader(path: string, fault: string): Promise<void> {
    const { body } = await this.pool.request({ method: 'GET', path, headers: { 'x-fault': fault } });
    await body.dump();
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }
}

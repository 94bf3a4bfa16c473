import { choiceQuery } from '#lab/strategy';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import type { CrashCase } from './crash-case';

/** What a buyer is told. */
export interface OrderAnswer {
  readonly status: number;
  /** `APPLIED`, or the code of the problem. */
  readonly code: string;
  readonly isReplayed: boolean;
  /** How often it was told that the first one is still under way. */
  readonly waited: number;
}

interface Sent {
  readonly key?: string;
  readonly id?: string;
  readonly fault?: string;
}

/** A client of the shop who sends orders of one case for its products. */
export class Buyer {
  constructor(
    private readonly labUrl: string,
    private readonly crash: CrashCase,
    private readonly skus: readonly string[],
  ) {}

  async buy({ key, id, fault }: Sent, quantity = this.crash.quantity): Promise<OrderAnswer> {
    const { strategy, options, products } = this.crash;
    const lines = this.skus.map((sku) => ({ sku, quantity }));
    const response = await request(`${this.labUrl}/orders?${choiceQuery(strategy, options)}`, {
      method: 'POST',
      headersTimeout: LONGEST_ANSWER_MS,
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': `"${key}"` }),
        ...(id !== undefined && { 'x-request-id': id }),
        ...(fault !== undefined && { 'x-fault': fault }),
      },
      body: JSON.stringify(products === 1 ? { ...lines[0], buyer: 'ann' } : { lines, buyer: 'ann' }),
    });
    const body = (await response.body.json()) as { code?: string };
    return {
      status: response.statusCode,
      code: response.statusCode === CREATED ? 'APPLIED' : (body.code ?? ''),
      isReplayed: response.headers['idempotency-replayed'] === 'true',
      waited: 0,
    };
  }

  /** Asks again under its key until somebody knows, as Retry-After tells it to. */
  async insist(key: string): Promise<OrderAnswer> {
    const until = performance.now() + LONGEST_ANSWER_MS;
    for (let waited = 0; ; waited++) {
      const told = await this.buy({ key });
      if (told.code !== 'IDEMPOTENCY.IN_PROGRESS' || performance.now() > until) return { ...told, waited };
      await delay(RETRY_AFTER_MS);
    }
  }
}

const CREATED = 201;
const LONGEST_ANSWER_MS = 60_000;
const RETRY_AFTER_MS = 1000;

import { choiceQuery } from '#lab/strategy';
import { setTimeout as delay } from 'node:timers/promises';
import { sendOrder } from '../run';
import type { CrashCase } from './crash-case';

/** The answer that a buyer receives. */
export interface OrderAnswer {
  readonly status: number;
  /** `APPLIED`, or the code of the problem. */
  readonly code: string;
  readonly isReplayed: boolean;
  /** How many times the answer was that the first request is still in progress. */
  readonly waited: number;
}

interface BuyOptions {
  readonly key?: string;
  readonly id?: string;
  readonly fault?: string;
}

/** A client that sends orders of one case for its products. */
export class Buyer {
  constructor(
    private readonly labUrl: string,
    private readonly crash: CrashCase,
    private readonly skus: readonly string[],
  ) {}

  async buy(sent: BuyOptions, quantity = this.crash.quantity): Promise<OrderAnswer> {
    const { strategy, options, products } = this.crash;
    const lines = this.skus.map((sku) => ({ sku, quantity }));
    const { status, code, isReplayed } = await sendOrder(this.labUrl, {
      ...sent,
      path: `/orders?${choiceQuery(strategy, options)}`,
      body: products === 1 ? { ...lines[0], buyer: 'ann' } : { lines, buyer: 'ann' },
      timeoutMs: ANSWER_TIMEOUT_MS,
    });
    return { status, code, isReplayed, waited: 0 };
  }

  /** Repeats the order under its key, as Retry-After demands, until the first request is no longer in progress. */
  async insist(key: string): Promise<OrderAnswer> {
    const until = performance.now() + ANSWER_TIMEOUT_MS;
    for (let waited = 0; ; waited++) {
      const answer = await this.buy({ key });
      if (answer.code !== 'IDEMPOTENCY.IN_PROGRESS' || performance.now() > until)
        return { ...answer, waited };
      await delay(RETRY_AFTER_MS);
    }
  }
}

const ANSWER_TIMEOUT_MS = 60_000;
const RETRY_AFTER_MS = 1000;

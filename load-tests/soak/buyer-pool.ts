import { choiceQuery, optionsSchema } from '#lab/strategy';
import type { ClientAnswer } from '#lab/verdict';
import { setTimeout as delay } from 'node:timers/promises';
import { request, type Agent } from 'undici';
import type { PlannedBalance } from './plan';

/** Longer than any wait, pause and repair: a slow answer is still an answer. Milliseconds. */
const LONGEST_ANSWER_MS = 30_000;
/** So many buyers of a balance are told that all is sold; then the next one is opened. */
const LATECOMERS = 12;
const TRY_AGAIN_MS = 150;

/** A balance from its first unit to its last. */
export interface BalanceSales {
  readonly sku: string;
  readonly strategy: string;
  readonly stock: number;
  readonly answers: ClientAnswer[];
}

/** Answers that leave it open whether it was bought: under a key one may ask again. */
const UNDECIDED: ReadonlySet<string> = new Set([
  'NO_ANSWER',
  'OUTCOME_UNKNOWN',
  'IDEMPOTENCY.IN_PROGRESS',
  'DEPENDENCY.DOWN',
]);
/** So long a buyer asks again. Milliseconds. */
const RETRY_FOR_MS = 20_000;

/** What a buyer sends beside the order. */
interface Sent {
  readonly fault?: string | undefined;
  readonly key?: string | undefined;
}

/** Answers of a buyer who did not come as far as the step at which its fault would have fired. */
const REJECTED: ReadonlySet<string> = new Set([
  'STOCK.SOLD_OUT',
  'STOCK.SPLIT',
  'LOCK.NOT_OBTAINED',
  'LOCK.NOT_REPLICATED',
  'LOCK.WAIT_TIMEOUT',
]);

/**
 * The buyers of one planned balance: each buys again as soon as it has its answer. Every other one sends an `Idempotency-Key`,
 * and when nobody could tell it whether it has bought, it asks again under it.
 */
export class BuyerPool {
  readonly sold: BalanceSales[] = [];
  private readonly faults: string[] = [];
  private opening: Promise<void> | undefined;
  private over = false;
  private sent = 0;
  private keys = 0;

  constructor(
    private readonly planned: PlannedBalance,
    /** Begins the names of its products and requests. */
    private readonly name: string,
    private readonly labUrl: string,
    private readonly agent: Agent,
    private readonly open: (sku: string, stock: number) => Promise<unknown>,
  ) {}

  /** The next buyer carries this `x-fault`; the one after it, if that one is turned away. */
  hit(header: string): void {
    this.faults.push(header);
  }

  /** Resolves when `stop` was called and every buyer has its answer. */
  async buy(): Promise<void> {
    await this.openNext();
    await Promise.all(Array.from({ length: this.planned.buyers }, (_, i) => this.buyer(i % 2 === 1)));
  }

  stop(): void {
    this.over = true;
  }

  private async buyer(hasKey: boolean): Promise<void> {
    while (!this.over) {
      const balance = this.sold.at(-1);
      if (balance === undefined) return;
      const header = this.faults.shift();
      const key = hasKey ? `${this.name}-k${++this.keys}` : undefined;
      const code = await this.order(balance, { fault: header, key });
      if (header !== undefined && REJECTED.has(code)) this.faults.unshift(header);
      if (key !== undefined) await this.insist(balance, key, code);
      else if (code === 'DEPENDENCY.DOWN' || code === 'NO_ANSWER') await delay(TRY_AGAIN_MS);
      const late = balance.answers.filter(({ code }) => code === 'STOCK.SOLD_OUT').length;
      if (late >= LATECOMERS && balance === this.sold.at(-1)) await this.openNext();
    }
  }

  /** Asks again until somebody knows whether it was bought. */
  private async insist(balance: BalanceSales, key: string, first: string): Promise<void> {
    const until = performance.now() + RETRY_FOR_MS;
    for (let code = first; UNDECIDED.has(code) && performance.now() < until;) {
      await delay(TRY_AGAIN_MS);
      code = await this.order(balance, { key });
    }
  }

  private openNext(): Promise<void> {
    this.opening ??= this.openOne().finally(() => (this.opening = undefined));
    return this.opening;
  }

  /** A server may just be away: then it is tried again, for as long as the minute lasts. */
  private async openOne(): Promise<void> {
    const { strategy, stock } = this.planned;
    const sku = `${this.name}-${this.sold.length + 1}`;
    for (;;) {
      const done = await this.open(sku, stock).then(
        () => true,
        () => false,
      );
      if (done) break;
      if (this.over) return;
      await delay(TRY_AGAIN_MS);
    }
    this.sold.push({ sku, strategy, stock, answers: [] });
  }

  /** Sends an order, and notes what it was told: returns the code. */
  private async order(balance: BalanceSales, sent: Sent): Promise<string> {
    const request = `${this.name}-r${++this.sent}`;
    const at = performance.now();
    const { status, code, replica, bought } = await this.ask(balance, request, sent).catch(() => NO_ANSWER);
    balance.answers.push({
      request: bought ?? request,
      ...(sent.key !== undefined && { key: sent.key }),
      status,
      code,
      quantity: 1,
      replica,
      at,
      tookMs: performance.now() - at,
    });
    return code;
  }

  private async ask({ sku, strategy }: BalanceSales, id: string, { fault, key }: Sent): Promise<Told> {
    const options = optionsSchema.parse(this.planned.options);
    const { statusCode, headers, body } = await request(
      `${this.labUrl}/orders?${choiceQuery(strategy, options)}`,
      {
        method: 'POST',
        dispatcher: this.agent,
        headersTimeout: LONGEST_ANSWER_MS,
        headers: {
          'content-type': 'application/json',
          'x-request-id': id,
          ...(fault !== undefined && { 'x-fault': fault }),
          ...(key !== undefined && { 'idempotency-key': `"${key}"` }),
        },
        body: JSON.stringify({ sku, quantity: 1, buyer: 'soak' }),
      },
    );
    const replica = headers['x-replica']?.toString() ?? null;
    return { status: statusCode, replica, ...read(statusCode, await body.text()) };
  }
}

/** What a buyer is told. */
interface Told {
  readonly status: number;
  readonly code: string;
  readonly replica: string | null;
  /** The request that has bought it: this one, or an earlier one under its key. */
  readonly bought?: string;
}

const NO_ANSWER: Told = { status: 0, code: 'NO_ANSWER', replica: null };

function read(status: number, text: string): Pick<Told, 'code' | 'bought'> {
  try {
    const { code, request } = JSON.parse(text) as { code?: string; request?: string };
    if (status === 201 && request !== undefined) return { code: 'APPLIED', bought: request };
    return { code: code ?? `HTTP ${status}` };
  } catch {
    return { code: `HTTP ${status}` };
  }
}

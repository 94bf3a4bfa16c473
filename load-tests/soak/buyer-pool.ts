import { choiceQuery, optionsSchema } from '#lab/strategy';
import type { BalanceKind, ClientAnswer } from '#lab/verdict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from 'undici';
import { sendOrder, type OrderResponse } from '../run';
import type { PlannedBalance } from './plan';

/** Longer than any wait, pause and recovery, so that a slow answer is not lost. */
const ANSWER_TIMEOUT_MS = 30_000;
/** Answers that nothing is left. */
const NOTHING_LEFT: ReadonlySet<string> = new Set(['STOCK.SOLD_OUT', 'ACCOUNT.INSUFFICIENT_FUNDS']);
/** Number of these answers after which the next balance is opened. */
const SOLD_OUT_ANSWERS = 12;
const RETRY_DELAY_MS = 150;

/** The sales of one balance, or the debits of an account, from its first unit to its last. */
export interface BalanceSales {
  readonly kind: BalanceKind;
  /** The product, or the account. */
  readonly balance: string;
  readonly strategy: string;
  readonly stock: number;
  readonly answers: ClientAnswer[];
}

/** Answers that leave the outcome open. With an idempotency key the buyer may repeat its request. */
const UNDECIDED: ReadonlySet<string> = new Set([
  'NO_ANSWER',
  'OUTCOME_UNKNOWN',
  'IDEMPOTENCY.IN_PROGRESS',
  'DEPENDENCY.DOWN',
  'OVERLOADED',
]);
/** Time for which a buyer repeats a request. */
const RETRY_FOR_MS = 20_000;

/** Optional headers of an order. */
interface OrderHeaders {
  readonly fault?: string | undefined;
  readonly key?: string | undefined;
}

/** Answers of a request that was refused before the step at which its fault would have fired. */
const REJECTED: ReadonlySet<string> = new Set([
  ...NOTHING_LEFT,
  'STOCK.SPLIT',
  'LOCK.NOT_OBTAINED',
  'LOCK.NOT_REPLICATED',
  'LOCK.WAIT_TIMEOUT',
]);

/**
 * The buyers of one planned balance. Each one sends its next order as soon as it has an answer. Every second buyer sends an
 * `Idempotency-Key`, and repeats its request with it while the outcome is open. Entries of an account have no such key: an
 * entry with an open outcome is not repeated.
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
    /** Prefix of the names of its products and requests. */
    private readonly name: string,
    private readonly labUrl: string,
    private readonly agent: Agent,
    private readonly open: (balance: string, stock: number) => Promise<unknown>,
  ) {}

  /** The next order has this `x-fault` header; if it is refused too early, the one after it. */
  hit(header: string): void {
    this.faults.push(header);
  }

  /** Resolves after `stop`, when every buyer has its answer. */
  async buy(): Promise<void> {
    await this.openNext();
    await Promise.all(
      Array.from({ length: this.planned.buyers }, (_, i) =>
        this.buyer(this.planned.kind === 'stock' && i % 2 === 1),
      ),
    );
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
      if (key !== undefined) await this.retryUntilDecided(balance, key, code);
      else if (code === 'DEPENDENCY.DOWN' || code === 'OVERLOADED' || code === 'NO_ANSWER')
        await delay(RETRY_DELAY_MS);
      const soldOut = balance.answers.filter(({ code }) => NOTHING_LEFT.has(code)).length;
      if (soldOut >= SOLD_OUT_ANSWERS && balance === this.sold.at(-1)) await this.openNext();
    }
  }

  /** Repeats a request until its outcome is decided, for at most `RETRY_FOR_MS`. */
  private async retryUntilDecided(balance: BalanceSales, key: string, first: string): Promise<void> {
    const deadline = performance.now() + RETRY_FOR_MS;
    for (let code = first; UNDECIDED.has(code) && performance.now() < deadline;) {
      await delay(RETRY_DELAY_MS);
      code = await this.order(balance, { key });
    }
  }

  private openNext(): Promise<void> {
    this.opening ??= this.openOne().finally(() => (this.opening = undefined));
    return this.opening;
  }

  /** Opens a balance. Retries until `stop`, because a fault may have made a server unreachable. */
  private async openOne(): Promise<void> {
    const { kind, strategy, stock } = this.planned;
    const name = `${this.name}-${this.sold.length + 1}`;
    for (;;) {
      const done = await this.open(name, stock).then(
        () => true,
        () => false,
      );
      if (done) break;
      if (this.over) return;
      await delay(RETRY_DELAY_MS);
    }
    this.sold.push({ kind, balance: name, strategy, stock, answers: [] });
  }

  /** Sends an order and records its answer. Returns the code. */
  private async order(balance: BalanceSales, optional: OrderHeaders): Promise<string> {
    const id = `${this.name}-r${++this.sent}`;
    const at = performance.now();
    const { status, code, replica, boughtBy } = await this.send(balance, id, optional).catch(() => NO_ANSWER);
    balance.answers.push({
      request: boughtBy ?? id,
      ...(optional.key !== undefined && { key: optional.key }),
      status,
      code,
      quantity: 1,
      replica,
      at,
      tookMs: performance.now() - at,
    });
    return code;
  }

  private async send(
    { kind, balance, strategy }: BalanceSales,
    id: string,
    headers: OrderHeaders,
  ): Promise<SoakAnswer> {
    const isOrder = kind === 'stock';
    const choice = choiceQuery(strategy, optionsSchema.parse(this.planned.options));
    const answer = await sendOrder(this.labUrl, {
      ...headers,
      id,
      path: `/${isOrder ? 'orders' : `accounts/${balance}/entries`}?${choice}`,
      body: isOrder ? { sku: balance, quantity: 1, buyer: 'soak' } : { amountMinor: -1 },
      timeoutMs: ANSWER_TIMEOUT_MS,
      dispatcher: this.agent,
    });
    const isUnreadable = isOrder && answer.code === 'APPLIED' && answer.boughtBy === undefined;
    return isUnreadable ? { ...answer, code: `HTTP ${answer.status}` } : answer;
  }
}

type SoakAnswer = Omit<OrderResponse, 'isReplayed'>;

const NO_ANSWER: SoakAnswer = { status: 0, code: 'NO_ANSWER', replica: null };

import { choiceQuery, optionsSchema } from '#lab/strategy';
import type { Answer } from '#lab/verdict';
import { setTimeout as delay } from 'node:timers/promises';
import { request, type Agent } from 'undici';
import type { PlannedBalance } from './plan';

/** Longer than any wait, pause and repair: a slow answer is still an answer. Milliseconds. */
const LONGEST_ANSWER_MS = 30_000;
/** So many buyers of a balance are told that all is sold; then the next one is opened. */
const LATECOMERS = 12;
const TRY_AGAIN_MS = 150;

/** A balance from its first unit to its last. */
export interface Sold {
  readonly sku: string;
  readonly strategy: string;
  readonly stock: number;
  readonly answers: Answer[];
}

/** Answers of a buyer who did not come as far as the step at which its fault would have fired. */
const TURNED_AWAY: ReadonlySet<string> = new Set([
  'STOCK.SOLD_OUT',
  'STOCK.SPLIT',
  'LOCK.NOT_OBTAINED',
  'LOCK.NOT_REPLICATED',
  'LOCK.WAIT_TIMEOUT',
]);

/** The buyers of one planned balance: each buys again as soon as it has its answer. */
export class Crowd {
  readonly sold: Sold[] = [];
  private readonly faults: string[] = [];
  private opening: Promise<void> | undefined;
  private over = false;
  private sent = 0;

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
    await Promise.all(Array.from({ length: this.planned.buyers }, () => this.buyer()));
  }

  stop(): void {
    this.over = true;
  }

  private async buyer(): Promise<void> {
    while (!this.over) {
      const balance = this.sold.at(-1);
      if (balance === undefined) return;
      const header = this.faults.shift();
      const answer = await this.order(balance, header);
      balance.answers.push(answer);
      if (header !== undefined && TURNED_AWAY.has(answer.code)) this.faults.unshift(header);
      if (answer.code === 'DEPENDENCY.DOWN' || answer.code === 'NO_ANSWER') await delay(TRY_AGAIN_MS);
      const late = balance.answers.filter(({ code }) => code === 'STOCK.SOLD_OUT').length;
      if (late >= LATECOMERS && balance === this.sold.at(-1)) await this.openNext();
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

  private async order({ sku, strategy }: Sold, fault: string | undefined): Promise<Answer> {
    const id = `${this.name}-r${++this.sent}`;
    const begun = performance.now();
    const options = optionsSchema.parse(this.planned.options);
    const told = (status: number, code: string, replica: string | null): Answer => {
      const tookMs = performance.now() - begun;
      return { request: id, status, code, quantity: 1, replica, at: begun, tookMs };
    };
    try {
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
          },
          body: JSON.stringify({ sku, quantity: 1, buyer: 'soak' }),
        },
      );
      const text = await body.text();
      return told(statusCode, codeOf(statusCode, text), headers['x-replica']?.toString() ?? null);
    } catch {
      return told(0, 'NO_ANSWER', null);
    }
  }
}

function codeOf(status: number, text: string): string {
  if (status === 201) return 'APPLIED';
  try {
    return (JSON.parse(text) as { code?: string }).code ?? `HTTP ${status}`;
  } catch {
    return `HTTP ${status}`;
  }
}

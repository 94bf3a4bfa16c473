import type { Config } from '#lab/config';
import { problem, ProblemError, type Problem } from '#lab/http';
import { DependencyDown, step } from '#lab/step';
import { choiceQuery } from '#lab/strategy';
import { randomUUID } from 'node:crypto';
import { Agent, type Dispatcher } from 'undici';
import type { OrderIntent, DeductedStock } from './order-intent';

/** What the inventory app answers to a deduction. */
interface Deducted {
  readonly after: number;
  readonly replica: string;
}

/** What the inventory app answers when a deduction was given up, unless it was made. */
type Closed = Pick<DeductedStock, 'lines'> & Partial<DeductedStock>;

/** The `x-fault` header, handed on. */
type Fault = string | undefined;

/** Longer than the longest wait, work and pause together: a slow answer is still an answer. Milliseconds. */
const LONGEST_ANSWER_MS = 65_000;

/** Calls the inventory app through nginx. */
export class InventoryClient {
  private readonly agent = new Agent({
    connections: 256,
    pipelining: 1,
    connectTimeout: 1000,
    headersTimeout: LONGEST_ANSWER_MS,
    bodyTimeout: LONGEST_ANSWER_MS,
  });

  constructor(private readonly config: Config) {}

  /**
   * Deducts the stock of one product, or of a cart: all or nothing. At most once for one attempt, however often it is asked.
   * Throws the inventory's own problem, or `OUTCOME_UNKNOWN` when its answer was lost.
   */
  async deduct(intent: OrderIntent, fault: Fault): Promise<DeductedStock> {
    const { lines, isCart, request, attempt } = intent;
    const headers = { 'x-request-id': request, 'x-deduction-id': attempt };
    const send = (path: string, body: object): Promise<unknown> =>
      this.send(path, body, intent, headers, fault);
    const [line] = lines;
    if (isCart || line === undefined) return (await send('/deductions', { lines })) as DeductedStock;
    const { sku, quantity } = line;
    const { after, replica } = (await send(`/products/${sku}/deductions`, { quantity })) as Deducted;
    return { lines: [{ ...line, after }], replica };
  }

  /**
   * Gives the deduction of an attempt up, unless it was made: says what it took; undefined: nothing, and it never will.
   * Throws when the inventory is away, or still at it: then nothing is decided.
   */
  async giveUp(intent: OrderIntent, fault?: Fault): Promise<DeductedStock | undefined> {
    const path = `/deductions/${intent.attempt}/closing`;
    const headers = { 'x-request-id': randomUUID() };
    const closed = (await this.send(path, { lines: intent.lines }, intent, headers, fault)) as Closed;
    const { lines, replica } = closed;
    return replica === undefined ? undefined : { lines, replica };
  }

  /** Sets the stock anew. */
  reset(sku: string, stock: number): Promise<unknown> {
    return this.post('/lab/inventory/reset', { sku, stock });
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  private send(
    path: string,
    body: object,
    { strategy, options }: OrderIntent,
    headers: Record<string, string>,
    fault: Fault,
  ): Promise<unknown> {
    const query = choiceQuery(strategy, options);
    return this.post(`${path}?${query}`, body, {
      ...headers,
      ...(fault !== undefined && { 'x-fault': fault }),
    });
  }

  private async post(path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
    let answered = false;
    const response = await step(
      () => ({ kind: 'http', verb: 'POST', text: `POST ${path}` }),
      async () => {
        const given = await this.ask(path, body, headers);
        answered = true;
        return given;
      },
    ).catch((error: unknown) => {
      throw answered ? answerLost(error) : error; // a fault has thrown the answer away
    });
    const text = await response.body.text().catch((error: unknown) => {
      throw answerLost(error);
    });
    const contentType = String(response.headers['content-type']);
    if (contentType.startsWith('application/problem+json')) throw refused(JSON.parse(text) as Problem);
    if (response.statusCode >= 300)
      throw answerLost(new Error(`status ${response.statusCode} without a problem`));
    return JSON.parse(text) as unknown;
  }

  private async ask(
    path: string,
    body: object,
    headers: Record<string, string>,
  ): Promise<Dispatcher.ResponseData> {
    try {
      return await this.agent.request({
        origin: this.config.inventoryUrl,
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    } catch (error) {
      if (NEVER_SENT.has((error as { code?: string }).code ?? '')) {
        throw new DependencyDown('inventory', 'the inventory is not reachable', { cause: error });
      }
      throw answerLost(error);
    }
  }
}

/** Errors that come before anything was sent: nothing has happened. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ENOTFOUND']);

function answerLost(cause: unknown): ProblemError {
  const detail =
    'the answer of the inventory was lost: the stock may or may not have been deducted. Look at the movements before you try again';
  return Object.assign(new ProblemError(problem('OUTCOME_UNKNOWN', detail)), { cause });
}

const refused = (answer: Problem): ProblemError =>
  new ProblemError({ ...answer, ...(answer.status === 503 && { retryAfterSeconds: 1 }) });

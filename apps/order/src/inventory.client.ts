import type { Config } from '#lab/config';
import { problem, ProblemError, type Chosen, type Problem } from '#lab/http';
import { DependencyDown, step } from '#lab/step';
import { choiceQuery } from '#lab/strategy';
import { Agent, type Dispatcher } from 'undici';

/** What the inventory app answers to a deduction. */
export interface Deducted {
  readonly before: number;
  readonly after: number;
  readonly replica: string;
}

/** One product of an order. */
export interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
}

/** What the inventory app answers to the deduction of a cart. */
export interface CartDeducted {
  readonly lines: readonly (OrderLine & { readonly after: number })[];
  readonly replica: string;
}

interface Call {
  readonly request: string;
  readonly chosen: Chosen;
  readonly fault: string | undefined;
}

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

  /** Deducts stock. Throws the inventory's own problem, or `OUTCOME_UNKNOWN` when its answer was lost. */
  deduct({ sku, quantity }: OrderLine, call: Call): Promise<Deducted> {
    return this.send(`/products/${sku}/deductions`, { quantity }, call) as Promise<Deducted>;
  }

  /** As `deduct`, for several products: all or nothing. */
  deductAll(lines: readonly OrderLine[], call: Call): Promise<CartDeducted> {
    return this.send('/deductions', { lines }, call) as Promise<CartDeducted>;
  }

  /** Sets the stock anew. */
  reset(sku: string, stock: number): Promise<unknown> {
    return this.post('/lab/inventory/reset', { sku, stock });
  }

  close(): Promise<void> {
    return this.agent.close();
  }

  private send(path: string, body: object, { request, chosen, fault }: Call): Promise<unknown> {
    const query = choiceQuery(chosen.strategy.name, chosen.options);
    const headers = { 'x-request-id': request, ...(fault !== undefined && { 'x-fault': fault }) };
    return this.post(`${path}?${query}`, body, headers);
  }

  private async post(path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
    const response = await step(
      () => ({ kind: 'http', verb: 'POST', text: `POST ${path}` }),
      () => this.ask(path, body, headers),
    );
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

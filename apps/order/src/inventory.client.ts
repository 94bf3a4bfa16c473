import type { Config } from '#lab/config';
import { problem, ProblemError, type Problem } from '#lab/http';
import { DependencyDown, step } from '#lab/step';
import { choiceQuery } from '#lab/strategy';
import { randomUUID } from 'node:crypto';
import { Agent, type Dispatcher } from 'undici';
import type { OrderIntent, DeductedStock } from './order-intent';

/** The inventory app's response to a deduction. */
interface Deducted {
  readonly after: number;
  readonly replica: string;
}

/** The inventory app's response to a cancellation; without `replica`: the deduction was cancelled, not made. */
type CancellationResult = Pick<DeductedStock, 'lines'> & Partial<DeductedStock>;

/** The `x-fault` header, forwarded. */
type Fault = string | undefined;

/** Longer than the longest wait, work and pause together, so that a slow response is not lost. Milliseconds. */
const LONGEST_ANSWER_MS = 65_000;

/** Calls the inventory app through nginx. */
export class InventoryClient {
  private readonly agent = new Agent({
    connections: 256,
    pipelining: 1,
    connectTimeout: 5000,
    headersTimeout: LONGEST_ANSWER_MS,
    bodyTimeout: LONGEST_ANSWER_MS,
  });

  constructor(private readonly config: Config) {}

  /**
   * Deducts the stock of one product, or of a cart: all or nothing, and at most once per attempt. Throws the inventory's own
   * problem, or `OUTCOME_UNKNOWN` when its response was lost.
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
   * Cancels the deduction of an attempt, unless it was made. Returns the stock that it took; undefined: none, and it never
   * will. Throws when the inventory is unreachable or the deduction is still running: then nothing is decided.
   */
  async cancelUnlessDeducted(intent: OrderIntent, fault?: Fault): Promise<DeductedStock | undefined> {
    const path = `/deductions/${intent.attempt}/closing`;
    const headers = { 'x-request-id': randomUUID() };
    const result = await this.send(path, { lines: intent.lines }, intent, headers, fault);
    const { lines, replica } = result as CancellationResult;
    return replica === undefined ? undefined : { lines, replica };
  }

  /** Resets the stock. */
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
    let hasResponse = false;
    const response = await step(
      () => ({ kind: 'http', verb: 'POST', text: `POST ${path}` }),
      async () => {
        const received = await this.request(path, body, headers);
        hasResponse = true;
        return received;
      },
    ).catch((error: unknown) => {
      throw hasResponse ? responseLost(error) : error; // an injected fault has discarded the response
    });
    const text = await response.body.text().catch((error: unknown) => {
      throw responseLost(error);
    });
    const contentType = String(response.headers['content-type']);
    if (contentType.startsWith('application/problem+json')) throw refused(JSON.parse(text) as Problem);
    if (response.statusCode >= 300)
      throw responseLost(new Error(`status ${response.statusCode} without a problem`));
    return JSON.parse(text) as unknown;
  }

  private async request(
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
        throw new DependencyDown('inventory', 'the inventory is not reachable. Try again', { cause: error });
      }
      throw responseLost(error);
    }
  }
}

/** Errors that occur before anything is sent: the inventory has done nothing. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ENOTFOUND']);

function responseLost(cause: unknown): ProblemError {
  const detail =
    'the response of the inventory was lost: the stock may or may not have been deducted. Check the movements before you try again';
  return Object.assign(new ProblemError(problem('OUTCOME_UNKNOWN', detail)), { cause });
}

const refused = (answer: Problem): ProblemError =>
  new ProblemError({ ...answer, ...(answer.status === 503 && { retryAfterSeconds: 1 }) });

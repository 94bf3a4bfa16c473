import type { BalanceTotals, MovementRow } from '#lab/balance';
import type { DecisionLine, HistoryLine } from '#lab/step';
import type { RemainingLock, RemainingSegment } from '#lab/verdict';
import { Agent, request, type Dispatcher } from 'undici';

const PAGE = 10_000;
/** The lab needs a minute for the history of 50,000 orders on a busy machine. Milliseconds. */
const ANSWER_MS = 600_000;

/** The lab refused a request, or no lab answers at the address. */
export class TargetError extends Error {
  readonly code = 'TARGET';
  /** The HTTP status of the refusal; absent: no answer. */
  readonly status: number | undefined;

  constructor(message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = status;
  }
}

/** What is left of a product or on an account, and what was there after the last reset. */
interface Balance {
  readonly amount: number;
  readonly initial: number;
}

/** HTTP client of a lab for everything except the load itself. Methods throw `TargetError`. */
export class Target {
  private readonly agent = new Agent({ connections: 8, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS });
  private accountSide: AccountTarget | undefined;

  constructor(
    /** The public address, for orders. */
    readonly publicUrl: string,
    /** The lab address: accepts faults, reset, history. */
    readonly labUrl: string,
  ) {}

  /** The accounts of the same lab, with the interface of its products. */
  get accounts(): AccountTarget {
    this.accountSide ??= new AccountTarget(this.publicUrl, this.labUrl);
    return this.accountSide;
  }

  reset(sku: string, stock: number): Promise<unknown> {
    return this.json('POST', '/lab/reset', { body: { sku, stock } });
  }

  /** Reconciles counters that strategies keep outside of the database with its rows. */
  reconcile(sku: string): Promise<unknown> {
    return this.json('POST', '/lab/inventory/reconcile', { body: { sku } });
  }

  /** Completes or gives up interrupted orders; returns the outcome of each. `undecided`: call again. */
  async reconcileOrders(): Promise<readonly { request: string; outcome: string }[]> {
    const { reconciled } = (await this.json('POST', '/lab/order/reconcile', { body: { silentMs: 0 } })) as {
      reconciled: readonly { request: string; outcome: string }[];
    };
    return reconciled;
  }

  async balance(sku: string): Promise<Balance> {
    const { stock, initial } = (await this.json('GET', `/products/${sku}`)) as {
      stock: number;
      initial: number;
    };
    return { amount: stock, initial };
  }

  /** Amount and movements at one moment, for a reader that repeats the call: rejects after `timeoutMs`. */
  async totals(sku: string, timeoutMs: number): Promise<BalanceTotals> {
    return (await this.json('GET', `/lab/inventory/totals/${sku}`, { timeoutMs })) as BalanceTotals;
  }

  movements(sku: string): Promise<MovementRow[]> {
    return this.pages(`/products/${sku}/movements?`, ({ id }: MovementRow) => id);
  }

  orders(sku: string): Promise<{ request: string; number: number }[]> {
    return this.pages(`/orders?sku=${sku}&`, ({ number }: { request: string; number: number }) => number);
  }

  /** The optional servers that this lab runs. */
  async components(): Promise<string[]> {
    return (await this.json('GET', '/lab/inventory/components')) as string[];
  }

  /** Requests may choose this strategy. */
  async knows(strategy: string): Promise<boolean> {
    const { body } = await this.agent.request({
      method: 'GET',
      origin: this.publicUrl,
      path: `/products/none?strategy=${strategy}`,
    });
    return ((await body.json()) as { code?: string }).code !== 'STRATEGY.UNKNOWN';
  }

  async locks(sku: string): Promise<RemainingLock[]> {
    return (await this.json('GET', `/lab/inventory/locks/${sku}`)) as RemainingLock[];
  }

  async segments(sku: string): Promise<RemainingSegment[]> {
    return (await this.json('GET', `/lab/inventory/segments/${sku}`)) as RemainingSegment[];
  }

  /** What rate limiters have decided about a client, recorded by the replicas. */
  async decisions(client: string): Promise<DecisionLine[]> {
    return (await this.json('GET', `/lab/inventory/decisions/${client}`)) as DecisionLine[];
  }

  async history(sku: string): Promise<HistoryLine[]> {
    return this.lines(`/lab/history/${sku}`);
  }

  protected async lines(path: string): Promise<HistoryLine[]> {
    const { body } = await this.call('GET', path);
    const text = await body.text();
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as HistoryLine]));
  }

  async close(): Promise<void> {
    await this.accountSide?.close();
    return this.agent.destroy();
  }

  protected async pages<Row>(path: string, numberOf: (row: Row) => number): Promise<Row[]> {
    const rows: Row[] = [];
    for (let after = 0; ;) {
      const page = (await this.json('GET', `${path}after=${after}&limit=${PAGE}`)) as Row[];
      rows.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return rows;
      after = numberOf(last);
    }
  }

  protected async json(
    method: 'GET' | 'POST',
    path: string,
    { body, timeoutMs }: { readonly body?: object; readonly timeoutMs?: number } = {},
  ): Promise<unknown> {
    return (await this.call(method, path, body, timeoutMs)).body.json();
  }

  private async call(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    timeoutMs?: number,
  ): Promise<Dispatcher.ResponseData> {
    const url = `${this.labUrl}${path}`;
    const response = await request(url, {
      method,
      dispatcher: this.agent,
      ...(timeoutMs !== undefined && { signal: AbortSignal.timeout(timeoutMs) }),
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    }).catch((cause: unknown) => {
      throw new TargetError(`no lab answers at ${this.labUrl}; start one with "npm start"`, { cause });
    });
    if (response.statusCode < 300) return response;
    throw new TargetError(`${method} ${url} answered ${response.statusCode}: ${await response.body.text()}`, {
      status: response.statusCode,
    });
  }
}

/** An entry that waits for the scan. */
interface Pending {
  readonly entry: string;
  readonly state: string;
}

/** The accounts of a lab, with the interface of its products. Amounts in minor units. */
export class AccountTarget extends Target {
  override reset(account: string, balanceMinor: number): Promise<unknown> {
    return this.json('POST', '/lab/account/reset', { body: { account, balanceMinor } });
  }

  override reconcile(account: string): Promise<unknown> {
    return this.json('POST', '/lab/account/reconcile', { body: { account } });
  }

  override async balance(account: string): Promise<Balance> {
    const found = await this.json('GET', `/accounts/${account}`);
    const { balanceMinor, openingMinor } = found as { balanceMinor: number; openingMinor: number };
    return { amount: balanceMinor, initial: openingMinor };
  }

  override async totals(account: string, timeoutMs: number): Promise<BalanceTotals> {
    return (await this.json('GET', `/lab/account/totals/${account}`, { timeoutMs })) as BalanceTotals;
  }

  override movements(account: string): Promise<MovementRow[]> {
    return this.pages(`/lab/account/movements/${account}?`, ({ id }: MovementRow) => id);
  }

  override async components(): Promise<string[]> {
    return (await this.json('GET', '/lab/account/components')) as string[];
  }

  override async locks(account: string): Promise<RemainingLock[]> {
    return (await this.json('GET', `/lab/account/locks/${account}`)) as RemainingLock[];
  }

  override async segments(account: string): Promise<RemainingSegment[]> {
    return (await this.json('GET', `/lab/account/segments/${account}`)) as RemainingSegment[];
  }

  override history(account: string): Promise<HistoryLine[]> {
    return this.lines(`/lab/account/history/${account}`);
  }

  addPending(account: string, amountMinor: number): Promise<unknown> {
    return this.json('POST', `/accounts/${account}/pending`, { body: { amountMinor } });
  }

  async pending(account: string): Promise<readonly Pending[]> {
    return (await this.json('GET', `/accounts/${account}/pending?limit=10000`)) as Pending[];
  }

  /** Sets how often every replica settles pending entries; 0: never. `choice`: strategy and options as a query. */
  scanEvery(everyMs: number, choice = ''): Promise<unknown> {
    return this.json('POST', `/lab/account/scan?${choice}`, { body: { everyMs } });
  }
}

import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Replica, type Stack, type StackOptions, startProcesses } from '#lab/stack';
import type { HistoryLine } from '#lab/step';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { Agent, request } from 'undici';
import { eventually } from '../harness/eventually';

export { eventually };

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: Record<string, unknown>;
  readonly tookMs: number;
}

/** The input of an order besides its strategy, which is in the query or in a header. */
export interface OrderInput {
  readonly at?: 'public' | 'lab';
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly sku?: string;
  readonly fault?: string;
}

const ANOTHER_CLIENT = 'another-client';

/** The whole built shop behind nginx, from the point of view of a spec. */
export class Shop {
  private readonly agent = new Agent({ connections: 256, headersTimeout: 30_000 });
  private products = 0;

  /** `dir`: the folder of the stack, for programs that attach to it. */
  constructor(
    readonly stack: Stack,
    readonly dir: string,
  ) {}

  /** Creates a product for one test. */
  async product(stock: number): Promise<string> {
    const sku = `spec-${++this.products}`;
    const reset = () => this.post(`${this.url('lab')}/lab/reset`, { body: { sku, stock } });
    // 503: a replica has not reconnected yet to a server that was down
    await eventually('the product exists', async () => (await reset()).status === 200);
    return sku;
  }

  url(at: 'public' | 'lab'): string {
    return this.stack.urls[at] ?? 'http://no-such-address';
  }

  order({ at, query = '', sku, body, headers, fault }: OrderInput): Promise<Reply> {
    return this.post(`${this.url(at ?? (fault === undefined ? 'public' : 'lab'))}/orders?${query}`, {
      body: body ?? { sku, quantity: 1, buyer: 'ann' },
      headers: { ...headers, ...(fault !== undefined && { 'x-fault': fault }) },
    });
  }

  async post(
    url: string,
    { body, headers }: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Reply> {
    return this.send(url, 'POST', {
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  get(path: string, at: 'public' | 'lab' = 'public'): Promise<Reply> {
    return this.send(`${this.url(at)}${path}`, 'GET', {});
  }

  async send(
    url: string,
    method: string,
    init: { headers?: Record<string, string>; body?: string },
  ): Promise<Reply> {
    const begun = performance.now();
    const { statusCode, headers, body } = await request(url, {
      method: method as 'GET',
      dispatcher: this.agent,
      ...init,
    });
    const text = await body.text();
    return {
      status: statusCode,
      headers,
      json: parse(text) as Record<string, unknown>,
      tookMs: performance.now() - begun,
    };
  }

  async list(path: string): Promise<Record<string, unknown>[]> {
    return (await this.get(path)).json as unknown as Record<string, unknown>[];
  }

  movements = (sku: string) => this.list(`/products/${sku}/movements`);
  orders = (sku: string) => this.list(`/orders?sku=${sku}`);
  stock = async (sku: string) => (await this.get(`/products/${sku}`)).json['stock'];

  async history(sku: string): Promise<HistoryLine[]> {
    const { body } = await request(`${this.url('lab')}/lab/history/${sku}`);
    const text = await body.text();
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as HistoryLine);
  }

  /** All rows and keys of all products, for a comparison before and after. */
  async everything(): Promise<{ readonly locks: readonly string[]; readonly [table: string]: unknown }> {
    const [sql, redis] = [await createConnection(this.stack.urls.mysql), new Redis(this.stack.urls.redis)];
    try {
      const rows = async (table: string): Promise<unknown> =>
        (await sql.query(`SELECT * FROM ${table} ORDER BY 1`))[0];
      return {
        balances: await rows('inventory.balance'),
        products: await rows('inventory.product'),
        movements: await rows('inventory.movement'),
        orders: await rows('orders.orders'),
        locks: (await redis.keys('*')).filter((key) => key !== 'lab:order').sort(),
      };
    } finally {
      redis.disconnect();
      await sql.end();
    }
  }

  /** Acquires a free lock in Redis as another client, so that a test decides when it is released; false: it is not free. */
  async acquireLock(key: string): Promise<boolean> {
    return this.withRedis(async (redis) => (await redis.set(key, ANOTHER_CLIENT, 'NX')) === 'OK');
  }

  /** Makes another client the holder of a lock, even when it is held: a pause until `lock-taken` ends. */
  async takeLockOver(key: string): Promise<void> {
    await this.withRedis((redis) => redis.set(key, ANOTHER_CLIENT));
  }

  async releaseLock(key: string): Promise<void> {
    await this.withRedis((redis) => redis.del(key));
  }

  private async withRedis<T>(use: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.stack.urls.redis);
    try {
      return await use(redis);
    } finally {
      redis.disconnect();
    }
  }

  async replica(name: unknown): Promise<Replica> {
    const found = (await this.stack.replicas()).find((replica) => replica.name === name);
    if (found === undefined) throw new Error(`no replica ${String(name)}`);
    return found;
  }

  async stop(): Promise<void> {
    await this.agent.destroy();
    await this.stack.stop();
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
};

/** Starts one shop for the spec file, from dist/ in its own folder. */
export function openShop(name: string, more: Partial<StackOptions> = {}): () => Shop {
  const dir = resolve('.lab', `test-${name}-${process.pid}`);
  let shop: Shop | undefined;
  beforeAll(async () => {
    const replicas = { order: 2, inventory: 2 };
    shop = new Shop(await startProcesses({ dir, replicas, lab: true, durability: 'relaxed', ...more }), dir);
  });
  afterAll(async () => {
    await shop?.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return () => {
    if (shop === undefined) throw new Error('the shop has not started');
    return shop;
  };
}

/** A fault of the order app: the stock is taken, and each of the three tries to record the order fails. */
export const UNRECORDED = [2, 3, 4].map((n) => `order:before(INSERT#${n})=error`).join('; ');

/** Expects problem+json with this status and code. */
export function expectProblem({ status, headers, json }: Reply, expected: number, code: string): void {
  expect({ status, code: json['code'], type: headers['content-type'] }).toEqual({
    status: expected,
    code,
    type: expect.stringMatching(/^application\/problem\+json/) as string,
  });
  expect(json).toMatchObject({
    type: 'about:blank',
    title: expect.any(String) as string,
    status: expected,
    detail: expect.any(String) as string,
  });
}

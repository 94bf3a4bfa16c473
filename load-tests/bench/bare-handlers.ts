/**
 * The baseline of `lab bench http`: order and inventory with only node:http and mysql2. It sends the statements that the
 * real apps send for `conditional-update`, the intent of the order included. libs/stack runs it in place of either app.
 */
import { readConfig } from '#lab/config';
import { DEFAULT_OPTIONS } from '#lab/strategy';
import { createPool, type Pool, type ResultSetHeader } from 'mysql2/promise';
import { randomUUID } from 'node:crypto';
import { Agent, createServer, request, type IncomingMessage } from 'node:http';

const config = readConfig();
const STRATEGY = 'conditional-update';
/** What the intent stores of the strategy's options. */
const CHOSEN = JSON.stringify({ options: DEFAULT_OPTIONS, ignored: [] });

const SET_ISOLATION = {
  'READ COMMITTED': 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  'REPEATABLE READ': 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
} as const;

/** A pool with the settings of the real apps. */
function openPool(database: string, isolation: 'READ COMMITTED' | 'REPEATABLE READ'): Pool {
  const url = new URL(config.mysqlUrl);
  const pool = createPool({
    host: url.hostname,
    port: Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
    connectionLimit: 40,
    supportBigNumbers: true,
  });
  pool.pool.on('connection', (connection) => {
    connection.query(SET_ISOLATION[isolation]);
    connection.query('SET SESSION innodb_lock_wait_timeout = 2');
  });
  return pool;
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += chunk as string;
  return text;
}

const inventory = openPool(config.inventoryDatabase, 'REPEATABLE READ');
const orders = openPool(config.orderDatabase, 'READ COMMITTED');

interface Deduction {
  readonly before: number;
  readonly after: number;
  readonly replica: string;
}

async function deduct(
  sku: string,
  quantity: number,
  id: string,
  attempt: string,
): Promise<Deduction | undefined> {
  const connection = await inventory.getConnection();
  try {
    await connection.query('START TRANSACTION');
    const [{ affectedRows, insertId: after }] = await connection.query<ResultSetHeader>(
      'UPDATE balance SET amount = LAST_INSERT_ID(amount + ?) WHERE id = ? AND amount + ? >= 0 AND segments = 0',
      [-quantity, sku, -quantity],
    );
    if (affectedRows === 0) {
      await connection.query('ROLLBACK');
      return undefined;
    }
    await connection.query(
      'INSERT INTO movement (balance, segment, delta, value_before, value_after, request, replica, strategy, once, part) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [sku, null, -quantity, after + quantity, after, id, config.replica, STRATEGY, `${attempt}.0`, 0],
    );
    await connection.query('COMMIT');
    return { before: after + quantity, after, replica: config.replica };
  } finally {
    connection.release();
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

function callInventory(path: string, body: string, id: string, attempt: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-request-id': id,
      'x-deduction-id': attempt,
    };
    request(new URL(path, config.inventoryUrl), { method: 'POST', agent, headers }, resolve)
      .on('error', reject)
      .end(body);
  });
}

async function order(text: string, query: string, id: string): Promise<object | undefined> {
  const { sku, quantity, buyer } = JSON.parse(text) as { sku: string; quantity: number; buyer: string };
  const [orderId, attempt] = [randomUUID(), randomUUID()];
  await orders.query(
    `INSERT INTO placement (id, attempt, state, idempotency_key, fingerprint, request, replica, buyer, strategy, chosen, cart, is_cart)
       VALUES (?, ?, 'placing', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      orderId,
      attempt,
      null,
      null,
      id,
      config.replica,
      buyer,
      STRATEGY,
      CHOSEN,
      JSON.stringify([{ sku, quantity }]),
      false,
    ],
  );
  const answer = await callInventory(
    `/products/${sku}/deductions${query}`,
    JSON.stringify({ quantity }),
    id,
    attempt,
  );
  const answered = await textOf(answer);
  if (answer.statusCode !== 201) {
    await orders.query('DELETE FROM placement WHERE id = ? AND attempt = ?', [orderId, attempt]);
    return undefined;
  }
  const { after, replica } = JSON.parse(answered) as Deduction;
  const row = [orderId, sku, quantity, buyer, STRATEGY, after, id, config.replica, replica];
  const connection = await orders.getConnection();
  try {
    await connection.query('START TRANSACTION');
    await connection.query('DELETE FROM placement WHERE id = ? AND attempt = ?', [orderId, attempt]);
    await connection.query(
      `INSERT INTO orders (id, sku, quantity, buyer, strategy, stock_after, request, replica, inventory_replica)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row,
    );
    await connection.query('COMMIT');
  } finally {
    connection.release();
  }
  return { id: orderId, sku, quantity, buyer, stockAfter: after, request: id, inventoryReplica: replica };
}

async function answer(message: IncomingMessage): Promise<[status: number, body: object]> {
  const { url = '/', method, headers } = message;
  if (method === 'GET') return [200, { status: 'ok' }];
  const id = String(headers['x-request-id']);
  const text = await textOf(message);
  const [path = '', query] = url.split('?');
  const sku = /^\/products\/([^/]+)\/deductions$/.exec(path)?.[1];
  const done =
    sku === undefined
      ? await order(text, query === undefined ? '' : `?${query}`, id)
      : await deduct(
          sku,
          (JSON.parse(text) as { quantity: number }).quantity,
          id,
          String(headers['x-deduction-id']),
        );
  return done === undefined ? [409, { code: 'STOCK.SOLD_OUT' }] : [201, done];
}

const server = createServer({ keepAliveTimeout: 72_000 }, (message, response) => {
  response.setHeader('X-Replica', config.replica);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  answer(message).then(
    ([status, body]) => response.writeHead(status).end(JSON.stringify(body)),
    (error: unknown) => response.writeHead(500).end(JSON.stringify({ code: String(error) })),
  );
});
server.listen(config.port, config.host);

const stop = (): void => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
};
process.once('SIGTERM', stop);
process.once('disconnect', stop);

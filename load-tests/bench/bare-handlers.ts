/**
 * The baseline of `lab bench http`: order and inventory with only node:http and mysql2. It sends the statements that the
 * real apps send for `conditional-update`. libs/stack runs it in place of either app.
 */
import { readConfig } from '#lab/config';
import { createPool, type Pool, type ResultSetHeader } from 'mysql2/promise';
import { randomUUID } from 'node:crypto';
import { Agent, createServer, request, type IncomingMessage } from 'node:http';

const config = readConfig();

/** A pool with the settings of the real apps. */
function openPool(database: string): Pool {
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
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    connection.query('SET SESSION innodb_lock_wait_timeout = 2');
  });
  return pool;
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += chunk as string;
  return text;
}

const inventory = openPool(config.inventoryDatabase);
const orders = openPool(config.orderDatabase);

interface Deduction {
  readonly before: number;
  readonly after: number;
  readonly replica: string;
}

async function deduct(sku: string, quantity: number, id: string): Promise<Deduction | undefined> {
  const connection = await inventory.getConnection();
  try {
    await connection.query('START TRANSACTION');
    const [{ affectedRows, insertId: after }] = await connection.query<ResultSetHeader>(
      'UPDATE balance SET amount = LAST_INSERT_ID(amount + ?) WHERE id = ? AND amount + ? >= 0',
      [-quantity, sku, -quantity],
    );
    if (affectedRows === 0) {
      await connection.query('ROLLBACK');
      return undefined;
    }
    await connection.query(
      'INSERT INTO movement (balance, delta, value_before, value_after, request, replica, strategy) VALUES (?, ?, ?, ?, ?, ?, ?)',
      [sku, -quantity, after + quantity, after, id, config.replica, 'conditional-update'],
    );
    await connection.query('COMMIT');
    return { before: after + quantity, after, replica: config.replica };
  } finally {
    connection.release();
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

function callInventory(path: string, body: string, id: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-request-id': id,
    };
    request(new URL(path, config.inventoryUrl), { method: 'POST', agent, headers }, resolve)
      .on('error', reject)
      .end(body);
  });
}

async function order(text: string, query: string, id: string): Promise<object | undefined> {
  const { sku, quantity, buyer } = JSON.parse(text) as { sku: string; quantity: number; buyer: string };
  const answer = await callInventory(`/products/${sku}/deductions${query}`, JSON.stringify({ quantity }), id);
  const answered = await textOf(answer);
  if (answer.statusCode !== 201) return undefined;
  const { after, replica } = JSON.parse(answered) as Deduction;
  const row = [randomUUID(), sku, quantity, buyer, 'conditional-update', after, id, config.replica, replica];
  await orders.query(
    `INSERT INTO orders (id, sku, quantity, buyer, strategy, stock_after, request, replica, inventory_replica)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row,
  );
  return { id: row[0], sku, quantity, buyer, stockAfter: after, request: id, inventoryReplica: replica };
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
      : await deduct(sku, (JSON.parse(text) as { quantity: number }).quantity, id);
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

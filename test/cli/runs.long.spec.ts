import { mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { Checkout, type Running } from './support';
import { expectBadUsage } from './usage';

/** `lab up` in a private checkout, and commands that run beside it. */
const checkout = new Checkout('runs');
let up: Running;
let shop = '';
let lab = '';

/** Occupies the preferred port of the lab; if another program has it already, that works as well. */
const occupant = createServer();

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    occupant
      .once('error', () => {
        resolve();
      })
      .listen(8080, '127.0.0.1', resolve);
  });
  up = checkout.start('up');
  await up.prints('Ctrl-C stops everything');
  shop = /shop (http:\/\/\S+)/.exec(up.stdout)?.[1] ?? '';
  lab = /lab (http:\/\/\S+)/.exec(up.stdout)?.[1] ?? '';
});
afterAll(async () => {
  occupant.close();
  await checkout.remove();
});

const agent = new Agent({ connections: 32 });
afterAll(() => agent.destroy());

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<number> {
  const { statusCode, body: answer } = await request(url, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await answer.dump();
  return statusCode;
}

const order = (sku: string, query = '', headers: Record<string, string> = {}) =>
  post(
    `${headers['x-fault'] === undefined ? shop : lab}/orders?${query}`,
    { sku, quantity: 1, buyer: 'ann' },
    headers,
  );

const small = ['--stock', '20', '--requests', '60', '--connections', '12'];

describe('lab load', () => {
  test('exits with 0 when the result matches the catalogue, and writes every field', async () => {
    const { code, stdout } = await checkout.run('load', ...small, '--json', 'safe.json');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('as expected') as string });
    expect(checkout.json('safe.json')).toMatchObject({
      strategy: 'conditional-update',
      options: { leaseMs: 5000, waitMs: 2000, wait: 'poll', retryMs: 10, workMs: 0 },
      initial: 20,
      sold: 20,
      finalStock: 0,
      oversold: 0,
      lostUpdates: 0,
      duplicates: [],
      overlaps: [],
      foreignReleases: [],
      stuckLocks: [],
      outcomes: { APPLIED: 20, 'STOCK.SOLD_OUT': 40 },
      violations: [],
      verdict: 'safe',
      expected: { must: [], may: [] },
      asExpected: true,
      conditions: { backEnd: 'processes', isolation: 'REPEATABLE-READ' },
    });
  });

  test('exits with 0 for a violation that the catalogue documents, and names the sales of the same unit', async () => {
    const { code, stdout } = await checkout.run(
      ...['load', '--strategy', 'none', ...small, '--work-ms', '5', '--json', 'none.json'],
    );
    expect(code).toBe(0);
    expect(stdout).toContain('DATA WRONG');
    const { duplicates, ...rest } = checkout.json('none.json') as {
      duplicates: { value: number; sales: { request: string; replica: string }[] }[];
    };
    expect(rest).toMatchObject({
      verdict: 'violated',
      violations: ['oversold', 'lost-update'],
      asExpected: true,
    });
    expect(duplicates[0]?.sales.length).toBeGreaterThanOrEqual(2);
    expect(duplicates[0]?.sales[0]?.replica).toMatch(/^inventory-[12]$/);
    expect(stdout).toContain(String(duplicates[0]?.sales[0]?.request));
  });

  test('exits with 3 when the fault cannot fire, whatever else was found', async () => {
    const { code, stdout } = await checkout.run(
      ...['load', '--strategy', 'none', ...small, '--work-ms', '5', '--fault', 'after(SETNX)=kill'],
    );
    expect(code).toBe(3);
    expect(stdout.replace(/\s+/g, ' ')).toContain('the fault after(SETNX)=kill never fired');
  });

  test('reports the outcome of the request that carried a fault that never fired', async () => {
    const fault = ['--fault', 'before(UPDATE)=error', '--fault-on', 'nth=3'];
    const { code, stdout } = await checkout.run(
      ...['load', '--strategy', 'setnx', '--stock', '0', '--requests', '20', ...fault],
    );
    expect(code).toBe(3);
    expect(stdout).toContain('1 request carried before(UPDATE)=error, and the answer was STOCK.SOLD_OUT');
  });

  test('proves what README claims about a fault in the middle of the load', async () => {
    const [, command = ''] =
      /^npx lab (load .*--fault-on .*)$/m.exec(readFileSync('README.md', 'utf8')) ?? [];
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const { code, stdout } = await checkout.run(...words);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('DATA WRONG') as string });
  });

  test('exits with 3 when no two requests overlapped', async () => {
    const { code, stdout } = await checkout.run('load', '--requests', '3', '--connections', '1');
    expect(code).toBe(3);
    expect(stdout).toContain('no two requests ran at the same time');
  });

  test('exits with 0 when the holder was killed and the lock is stuck, as documented', async () => {
    const { code, stdout } = await checkout.run('load', '--scenario', 'setnx-killed');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('never ends') as string });
    const again = await checkout.run('verdict', 'load');
    expect({ code: again.code, stdout: again.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('never ends') as string,
    });
  });

  test('keeps the newest 50 earlier runs, and reports once what it removed', async () => {
    const runs = join(checkout.root, 'runs');
    for (let i = 1; i <= 60; i++) {
      mkdirSync(join(runs, `old-${i}`), { recursive: true });
      utimesSync(join(runs, `old-${i}`), i, i);
    }
    const { stderr } = await checkout.run('load', '--requests', '4', '--connections', '2');
    expect(stderr.match(/removed \d+ old runs from runs\//g)).toHaveLength(1);
    expect(readdirSync(runs)).toHaveLength(51);
    expect(readdirSync(runs)).not.toContain('old-1');
  });

  test('runs on one replica with --replicas 1', async () => {
    const args = ['load', '--strategy', 'local-mutex', '--replicas', '1', ...small, '--json', 'one.json'];
    const { code } = await checkout.run(...args);
    expect({ code, ...checkout.json('one.json') }).toMatchObject({ code: 0, verdict: 'safe' });
  });
});

describe('lab verdict', () => {
  const reset = (sku: string, stock: number) => post(`${lab}/lab/reset`, { sku, stock });
  const verdict = async (sku: string) => {
    const { code, stdout } = await checkout.run('verdict', sku, '--json', `${sku}.json`);
    return { code, stdout, ...(checkout.json(`${sku}.json`) as { violations: string[]; sold: number }) };
  };

  beforeAll(async () => {
    await checkout.run('load', '--requests', '4', '--connections', '2'); // back to two replicas
  });

  test('judges a load sent by another client', async () => {
    await reset('theirs', 10);
    await Promise.all(Array.from({ length: 40 }, () => order('theirs', 'strategy=none&workMs=5')));
    expect(await verdict('theirs')).toMatchObject({
      code: 0,
      strategy: 'none',
      verdict: 'violated',
      violations: ['oversold', 'lost-update'],
    });
    await reset('theirs', 10);
    await Promise.all(Array.from({ length: 40 }, () => order('theirs', 'strategy=for-update')));
    expect(await verdict('theirs')).toMatchObject({
      code: 0,
      strategy: 'for-update',
      verdict: 'safe',
      sold: 10,
      outcomes: { APPLIED: 10, 'STOCK.SOLD_OUT': 30 },
    });
  });

  test('finds a movement whose order app was killed before it recorded the order', async () => {
    await reset('orphaned', 10);
    const id = { 'x-request-id': 'lost-order' };
    expect(await order('orphaned', '', { ...id, 'x-fault': 'order:before(INSERT#2)=kill' })).toBe(502);
    const { code, stdout, ...rest } = await verdict('orphaned');
    expect(rest).toMatchObject({
      verdict: 'violated',
      violations: ['orphan'],
      orphans: ['lost-order'],
      sold: 1,
    });
    expect(stdout).toContain('lost-order');
    expect(code).toBe(0); // the catalogue allows one orphan after a kill
  });

  test('waits for orders in progress instead of reporting them as violations', async () => {
    await reset('slow', 10);
    const orders = [1, 2, 3, 4].map(() => order('slow', 'strategy=setnx&workMs=300&waitMs=9000'));
    const judged = await verdict('slow');
    await Promise.all(orders);
    expect(judged.violations).toEqual([]);
  });

  test('is unknown for a product without orders', async () => {
    await reset('unwanted', 10);
    expect(await verdict('unwanted')).toMatchObject({ code: 3, verdict: 'unknown', sold: 0 });
  });

  test('exits with 2 and one line for an unknown product', async () => {
    expectBadUsage(await checkout.run('verdict', 'nothing'), 'there is no product "nothing"');
  });
});

test('a lab whose port is taken prints its actual address, and curl lines with it', () => {
  expect(up.stdout).toContain(`Port 8080 is taken by another program: the shop is at ${shop} instead.`);
  expect(up.stdout).toContain(`curl -s '${shop}/orders?`);
  expect(up.stdout).not.toContain('127.0.0.1:8080');
});

test('lab up starts the console beside the lab; the lab keeps running when the console dies, and says so in one line', async () => {
  const page = /console (http:\/\/\S+)/.exec(up.stdout)?.[1] ?? '';
  const { statusCode, body } = await request(`${page}/api/lab`);
  expect([statusCode, await body.json()]).toEqual([200, expect.objectContaining({ isRunning: true, shop })]);
  const [pid] = checkout
    .processes()
    .flatMap((line) => (line.includes('console/src/main') ? [parseInt(line)] : []));
  process.kill(pid ?? 0, 'SIGKILL');
  await up.prints('the console was killed (SIGKILL)');
  expect(await order('mug')).toBe(201);
});

test('lab up --port with a taken port is bad usage: exit code 2 and one line', async () => {
  const { port } = new URL(shop);
  expectBadUsage(await checkout.run('up', '--port', port), `port ${port} is taken`);
});

test('a second lab up is refused and names the address of the first one and its process', async () => {
  const { code, stdout, stderr } = await checkout.run('up');
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({
    code: 1,
    stdout: '',
    lines: 1,
  });
  expect(stderr).toContain(`process ${up.child.pid ?? ''}, at ${shop}`);
  expect(await order('mug')).toBe(201);
});

test('Ctrl-C stops everything and leaves no process', async () => {
  expect(checkout.processes().length).toBeGreaterThanOrEqual(8);
  up.child.kill('SIGINT');
  expect((await up.end).code).toBe(130);
  await checkout.expectNoProcess();
  // no order is tried: another lab of this test run may have the address by now
});

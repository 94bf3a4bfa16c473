import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually, expectProblem, openShop, UNRECORDED } from './support';

const shop = openShop('replica-log');

type LogLine = Readonly<Record<string, unknown>>;

/** The lines of all replicas. */
function logLines(): LogLine[] {
  const dir = join(dirname(shop().stack.historyDir), 'logs');
  return readdirSync(dir)
    .filter((name) => /^(order|inventory)-\d+\.log$/.test(name))
    .flatMap((name) => readFileSync(join(dir, name), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line) as LogLine);
}

const linesOf = (id: unknown): LogLine[] => logLines().filter(({ request }) => request === id);

test('an order that could not be recorded leaves its request, attempt, code and cause', async () => {
  const sku = await shop().product(3);
  const reply = await shop().order({ sku, fault: UNRECORDED });
  expectProblem(reply, 502, 'OUTCOME_UNKNOWN');
  const lines = linesOf(reply.headers['x-request-id']);
  expect(lines.map(({ code }) => code)).toEqual([
    'DEPENDENCY.DOWN', // two tries that are repeated
    'DEPENDENCY.DOWN',
    'OUTCOME_UNKNOWN',
  ]);
  expect(lines.at(-1)).toMatchObject({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-/) as string,
    replica: reply.headers['x-replica'],
    attempt: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    status: 502,
    cause: [{}, { code: 'DEPENDENCY.DOWN', message: expect.stringContaining('injected fault') as string }],
  });
});

test('a 503 of the inventory has a line in both apps, under one attempt', async () => {
  const sku = await shop().product(3);
  const reply = await shop().order({ sku, fault: 'before(UPDATE)=error' });
  expectProblem(reply, 503, 'DEPENDENCY.DOWN');
  const lines = linesOf(reply.headers['x-request-id']);
  expect(lines.map(({ replica }) => String(replica).replace(/-\d$/, '')).sort()).toEqual([
    'inventory',
    'order',
  ]);
  expect(new Set(lines.map(({ attempt }) => attempt)).size).toBe(1);
});

test('expected refusals have no line', async () => {
  const sku = await shop().product(0);
  const before = logLines().length;
  expect((await shop().order({ sku })).status).toBe(409);
  expect((await shop().order({ sku: 'no-such-product' })).status).toBe(404);
  expect((await shop().order({ sku, query: 'strategy=nope' })).status).toBe(400);
  expect((await shop().get('/no-such-path')).status).toBe(404);
  expect(logLines()).toHaveLength(before);
});

test('readiness probes of a database that is down: one line per replica when it goes, one when it is back', async () => {
  const replicas = (await shop().stack.replicas()).filter(({ app }) => app === 'order');
  const probe = (): Promise<number[]> =>
    Promise.all(
      replicas.map(async ({ url }) => (await shop().send(`${url}/health/ready`, 'GET', {})).status),
    );
  await shop().stack.kill('mysql');
  for (let i = 0; i < 10; i++) expect(await probe()).toEqual([503, 503]);
  await shop().stack.restart('mysql');
  await shop().stack.ready();
  await eventually('every replica is ready', async () => (await probe()).every((status) => status === 200));
  const lines = logLines().filter(({ msg }) => String(msg).startsWith('the readiness check'));
  for (const { name } of replicas)
    expect(lines.filter(({ replica }) => replica === name).map(({ msg }) => msg)).toEqual([
      'the readiness check failed: mysql',
      'the readiness check succeeded again',
    ]);
});

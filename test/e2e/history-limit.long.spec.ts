import { SAFE } from '#lab/strategy';
import { judgeLoad, type LoadVerdict } from '#lab/verdict';
import { atRest, gather, Target } from '#load-tests/run';
import { createConnection } from 'mysql2/promise';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, openShop } from './support';

const LIMIT_MB = 0.06;
const shop = openShop('history-limit', { environment: { HISTORY_LIMIT_MB: String(LIMIT_MB) } });

let target: Target;
beforeAll(() => {
  target = new Target(shop().url('public'), shop().url('lab'));
});
afterAll(() => target.close());

const order = (sku: string) => shop().order({ sku, query: 'strategy=conditional-update' });

/** A run in which orders overlap on both inventory replicas. */
async function run(): Promise<string> {
  const sku = await shop().product(100);
  const blocker = await createConnection(shop().stack.urls.mysql);
  try {
    await blocker.query('LOCK TABLES inventory.balance WRITE'); // no deduction ends before UNLOCK TABLES
    const orders = Promise.all(Array.from({ length: 4 }, () => order(sku)));
    await eventually('both replicas have an order', async () => {
      const begun = (await target.history(sku)).flatMap((line) =>
        line.type === 'request' && line.app === 'inventory' ? [line.replica] : [],
      );
      return new Set(begun).size === 2;
    });
    await blocker.query('UNLOCK TABLES');
    await orders;
  } finally {
    await blocker.end();
  }
  return sku;
}

async function judge(sku: string): Promise<LoadVerdict> {
  await atRest(target, sku);
  const about = { strategy: 'conditional-update', replicas: 2 };
  return judgeLoad(await gather(target, sku, about, { answers: [] }), SAFE);
}

/** Bytes in the history folder, by replica. */
function sizes(): Readonly<Record<string, number>> {
  const dir = shop().stack.historyDir;
  const all: Record<string, number> = {};
  for (const name of readdirSync(dir)) {
    const [replica = ''] = name.split('.');
    if (replica !== 'supervisor') all[replica] = (all[replica] ?? 0) + statSync(join(dir, name)).size;
  }
  return all;
}

const isDropped = async (sku: string): Promise<boolean> =>
  (await target.history(sku)).some(({ type }) => type === 'rotated');

test('the history of a lab that stays up is bounded; a run whose lines were dropped is unknown, a later one is judged', async () => {
  const old = await run();
  expect(await judge(old)).toMatchObject({ verdict: 'safe', violations: [] });

  const other = await shop().product(100_000);
  while (!(await isDropped(old))) {
    for (let i = 0; i < 20; i++) expect((await order(other)).status).toBe(201);
    await atRest(target, other); // no replica writes while the sizes are read
    for (const size of Object.values(sizes())) expect(size).toBeLessThanOrEqual(LIMIT_MB * 2 ** 20);
  }
  expect(Object.keys(sizes()).sort()).toEqual(['inventory-1', 'inventory-2', 'order-1', 'order-2']);

  const [rotated] = (await target.history(old)).filter((line) => line.type === 'rotated');
  expect(rotated?.droppedBytes).toBeGreaterThan(0);
  expect(rotated?.droppedUntil).toBeGreaterThan(0);
  const verdict = await judge(old);
  expect(verdict).toMatchObject({ verdict: 'unknown', violations: [], mark: 'unknown' });
  expect(verdict.reasons[0]).toMatchObject({ code: 'history-dropped' });
  expect(verdict.because[0]).toContain('HISTORY_LIMIT_MB');

  const late = await run();
  expect(await isDropped(late)).toBe(false);
  expect(await judge(late)).toMatchObject({ verdict: 'safe', violations: [] });
});

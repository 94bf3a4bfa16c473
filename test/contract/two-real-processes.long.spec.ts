import { ownServers, type World } from '#lab/explore';
import { CATALOGUE, findStrategy, type Strategy } from '#lab/strategy';
import { Buyer, before } from '#load-tests/drills';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { booleanFlag } from '../fixtures/module-state/boolean-flag';
import { keyOfTheProcess } from '../fixtures/module-state/key-of-the-process';
import { moduleMutex } from '../fixtures/module-state/module-mutex';
import { pidAsOwner } from '../fixtures/module-state/pid-as-owner';
import { openWorld } from '../harness/servers';

/** The lease is longer than any pause of a buyer; a wait for a lock that is never released times out. */
const OPTIONS = { leaseMs: 60_000, waitMs: 3000 };
/**
 * Time given to a buyer that is blocked in the database, which cannot report it. The value does not affect the
 * result of an exact strategy: it sells one unit.
 */
const BLOCKED_MS = 200;

let world: World;
let lockDir: string;
let buyers: readonly [Buyer, Buyer];

beforeAll(async () => {
  world = await openWorld(__filename);
  lockDir = mkdtempSync(join(tmpdir(), 'two-real-processes-'));
  const { redis, redisDb, mysql, schema } = world.options;
  const startBuyer = (name: string): Promise<Buyer> =>
    Buyer.start(
      {
        name,
        redis: `${redis}/${redisDb}`,
        servers: ownServers(world.options),
        mysql,
        database: schema,
        lockDir,
        balance: 'item',
        strategy: 'none',
        options: OPTIONS,
      },
      () => undefined,
    );
  buyers = await Promise.all([startBuyer('A'), startBuyer('B')]);
});
afterAll(async () => {
  for (const buyer of buyers) await buyer.kill();
  rmSync(lockDir, { recursive: true, force: true });
  await world.close();
});

/**
 * Holds A before its write while B runs as far as it can: to its own write, to its end, or to its wait. Then both
 * finish. Returns the number of units sold; there is one in stock.
 */
async function sell(strategy: Strategy, maxMs: number): Promise<number> {
  await world.begin(strategy, { stock: 1 });
  const { name, module } = strategy;
  const purchase = { strategy: name, ...(module !== undefined && { module }), options: OPTIONS };
  const [A, B] = buyers;
  for (const buyer of buyers) await buyer.again(purchase);
  const write = before('UPDATE balance');
  await A.runUntil(write).catch(() => undefined); // A may have ended before its write
  await Promise.race([
    B.runUntil(write).catch(() => undefined),
    B.step(({ verb }) => verb === 'WAIT').catch(() => undefined),
    ...(maxMs < Infinity ? [delay(maxMs)] : []),
  ]);
  await Promise.all([A.finish(), B.finish()]);
  return (await world.look()).movements.reduce((sold, { delta }) => sold - delta, 0);
}

test.each(CATALOGUE.filter(({ lacks }) => !lacks.includes('exactAcrossProcesses')))(
  '$name sells the last unit once to buyers in two Node processes',
  async (strategy) => {
    expect(await sell(strategy, BLOCKED_MS)).toBe(1);
  },
);

test.each([findStrategy('none'), findStrategy('local-mutex'), booleanFlag, moduleMutex, keyOfTheProcess])(
  '$name sells the last unit twice: the other process does not see its lock',
  async (strategy) => {
    expect(await sell(strategy, Infinity)).toBe(2);
  },
);

test('the process id as lock owner is exact across two processes', async () => {
  expect(await sell(pidAsOwner, BLOCKED_MS)).toBe(1);
});

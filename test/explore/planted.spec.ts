import {
  EXPLORE_OPTIONS,
  explore,
  parseBudget,
  scheduleText,
  type Plan,
  type Tally,
  type World,
} from '#lab/explore';
import { valueAfter, type Change, type Movement } from '#lab/balance';
import type { Strategy } from '#lab/strategy';
import type { QueryRunner } from 'typeorm';
import { dataSourceOf, planted, sellUnprotected } from '../harness/planted';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

function find(strategy: Strategy, faults = '', extra: Partial<Plan> = {}): Promise<Tally> {
  const setup = { strategy, options: EXPLORE_OPTIONS, stock: 1, processes: ['p1', 'p2'] };
  return explore(world, { setup, budget: parseBudget(faults), faultPlaces: {}, reduce: true, ...extra });
}

class Busy extends Error {
  readonly code = 'LOCK.NOT_OBTAINED';
}

test('a release by a request that never held the lock is found without any fault', async () => {
  const unlocksUnacquired = planted('unlock-unacquired', async (change, tools) => {
    const key = 'lock:{item}:planted';
    try {
      if ((await tools.redis.setnx(key, change.request)) === 0) throw new Busy();
      return await sellUnprotected(change, tools.balances);
    } finally {
      await tools.redis.del(key);
    }
  });
  const tally = await find(unlocksUnacquired);
  expect([...tally.kinds.keys()]).toContain('foreign-release');
});

test('a lock that is not released on success is found as stuck', async () => {
  const neverReleases = planted('forgets', async (change, tools) => {
    if ((await tools.redis.setnx('lock:{item}:planted', change.request)) === 0) throw new Busy();
    return sellUnprotected(change, tools.balances);
  });
  expect([...(await find(neverReleases)).kinds.keys()]).toEqual(['stuck']);
});

/** GET, then SET if the key is empty, then DEL: two requests pass the check. */
const getSet = planted('get-set', async (change, tools) => {
  const key = 'lock:{item}:planted';
  if ((await tools.redis.get(key)) !== null) throw new Busy();
  await tools.redis.set(key, change.request);
  try {
    return await sellUnprotected(change, tools.balances);
  } finally {
    await tools.redis.del(key);
  }
});

test('a check and a SET in two commands admit two holders, and the first deletes the lock of the second', async () => {
  const { kinds } = await find(getSet);
  expect([...kinds.keys()]).toEqual(
    expect.arrayContaining(['oversold', 'lost-update', 'overlap', 'foreign-release']),
  );
});

/** SETNX, then EXPIRE: a crash between the two leaves a key without expiry. */
const setnxExpire = planted('setnx-expire', async (change, tools) => {
  const key = 'lock:{item}:planted';
  if ((await tools.redis.setnx(key, change.request)) === 0) throw new Busy();
  await tools.redis.pexpire(key, tools.options.leaseMs);
  try {
    return await sellUnprotected(change, tools.balances);
  } finally {
    await tools.redis.del(key);
  }
});

test('only a crash between SETNX and EXPIRE leaves the lock forever', async () => {
  const everywhere = await find(setnxExpire, 'kill:1');
  expect([...everywhere.kinds.keys()]).toEqual(['stuck']);
  for (const { choices } of everywhere.witnesses.values())
    expect(scheduleText(choices)).toMatch(/^(b*)aK1|^(a*)bK2/);
  const between = await find(setnxExpire, 'kill:1', { faultPlaces: { kill: 'no-expiry' } });
  expect(between.kinds.get('stuck')).toBe(between.fired.get('kill'));
});

test('a read outside the row lock is found although a row lock is taken later', async () => {
  const late = planted('for-update-late', (change, { balances }) =>
    balances.transaction(async (tx) => {
      const before = await tx.read(change.balance);
      const after = valueAfter(change, before);
      await tx.readForUpdate(change.balance);
      return tx.write(change, before, after);
    }),
  );
  expect([...(await find(late)).kinds.keys()]).toContain('lost-update');
});

test('a sale that was acknowledged and never committed is found', async () => {
  const acknowledgesTooEarly = planted('answers-too-early', async (change, { balances }) => {
    const before = await balances.read(change.balance);
    return { ...change, before, after: valueAfter(change, before) };
  });
  expect([...(await find(acknowledgesTooEarly)).kinds.keys()]).toEqual(['lost-acknowledged']);
});

test('a crash between two systems that leaks stock is found as undersold', async () => {
  const counter = planted('redis-decr', async (change, { balances, redis }) => {
    if ((await redis.incr('sold')) > 1)
      return balances.transaction((tx) => tx.writeIfEnough({ ...change, delta: -9 }));
    return balances.writeIfEnough(change);
  });
  expect([...(await find(counter, 'kill:1')).kinds.keys()]).toContain('undersold');
});

/** Read, check and write in one session, as separate statements. */
async function sellIn(sql: Pick<QueryRunner, 'query'>, change: Change, readSuffix = ''): Promise<Movement> {
  const [row] = (await sql.query(`SELECT amount FROM balance WHERE id = ?${readSuffix}`, [
    change.balance,
  ])) as {
    amount: number;
  }[];
  const before = row?.amount ?? 0;
  const after = valueAfter(change, before);
  await sql.query('UPDATE balance SET amount = ? WHERE id = ?', [after, change.balance]);
  await sql.query(
    'INSERT INTO movement (balance, delta, value_before, value_after, request, replica, strategy) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [change.balance, change.delta, before, after, change.request, change.replica, change.strategy],
  );
  return { ...change, before, after };
}

test('two holders of a shared lock that both want to write are found as a dead-lock, and nothing is oversold', async () => {
  const upgrade = planted('upgrade', (change) =>
    dataSourceOf(world, change).transaction((tx) =>
      sellIn(tx as unknown as QueryRunner, change, ' LOCK IN SHARE MODE'),
    ),
  );
  const tally = await find(upgrade);
  expect([...tally.kinds.keys()]).toEqual(['dead-lock']);
  expect(tally.partial).toBe(false);
});

/** GET_LOCK, the work and RELEASE_LOCK in one session. `early`: released before the COMMIT. */
const namedLock = (early: boolean): Strategy =>
  planted('named-lock', async (change) => {
    const runner = dataSourceOf(world, change).createQueryRunner();
    try {
      await runner.query("SELECT GET_LOCK('item', 600)");
      await runner.startTransaction();
      try {
        const movement = await sellIn(runner, change);
        if (early) await runner.query("SELECT RELEASE_LOCK('item')");
        await runner.commitTransaction();
        return movement;
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      } finally {
        if (!early) await runner.query("SELECT RELEASE_LOCK('item')");
      }
    } finally {
      await runner.release();
    }
  });

test('a named lock of the database blocks other sessions and is freed by a crash: no violation', async () => {
  for (const faults of ['', 'kill:1']) {
    const tally = await find(namedLock(false), faults);
    expect([faults, ...tally.kinds.keys()]).toEqual([faults]);
    expect(tally.prevented.waits).toBeGreaterThan(0);
  }
});

test('a named lock that is released before the COMMIT oversells without any fault', async () => {
  expect([...(await find(namedLock(true))).kinds.keys()]).toContain('lost-update');
});

import { SoldOut, valueAfter, type Change, type Movement } from '#lab/balance';
import type { World } from '#lab/explore';
import { DependencyDown, OutcomeUnknown, type Ticker } from '#lab/step';
import {
  acquire,
  findStrategy,
  lockKey,
  readModifyWrite,
  release,
  tokenLock,
  withLock,
  type Lock,
  type Strategy,
  type Tools,
} from '#lab/strategy';
import { randomUUID } from 'node:crypto';
import { dataSourceOf, planted } from '../harness/planted';

type Apply = Strategy['apply'];
type Tick = () => Promise<unknown>;

/** A typical engineering bug, and the same code without it. */
export interface Plant {
  readonly bug: Strategy;
  readonly fix: Strategy;
}

const plant = (name: string, bug: Apply, fix: Apply | Strategy): Plant => ({
  bug: planted(name, bug),
  fix: typeof fix === 'function' ? planted(`${name}-mended`, fix) : fix,
});

const keyOf = ({ balance }: Change): string => lockKey(balance, 'planted');

/** The lock of one request, with its own token in the key. */
const lockOf = (change: Change, tools: Tools): Lock => tokenLock(keyOf(change), tools);

/** A lock whose key holds one value; `release` is the part that differs. */
const setNx = (
  change: Change,
  { redis, options }: Tools,
  value: string,
  release: () => Promise<unknown>,
): Lock => ({
  key: keyOf(change),
  tryAcquire: async () => (await redis.set(keyOf(change), value, 'PX', options.leaseMs, 'NX')) === 'OK',
  release,
});

/** Extends the lock every third of the lease, without checking its owner, until stopped. */
const renew = (
  change: Change,
  { redis, clock, options }: Tools,
  tick?: (ticker: () => Ticker) => Tick,
): Ticker => {
  const once: Tick = () => redis.pexpire(keyOf(change), options.leaseMs);
  const ticker: Ticker = clock.every(options.leaseMs / 3, async () => {
    await (tick?.(() => ticker) ?? once)();
  });
  return ticker;
};

/** Sells under a lock that is extended while the request runs. */
const renewed: Apply = (change, tools) =>
  withLock(lockOf(change, tools), tools, async () => {
    const ticker = renew(change, tools);
    try {
      return await readModifyWrite(change, tools);
    } finally {
      ticker.stop();
    }
  });

/** The host name is in the key: each host has a separate lock. */
export const hostInTheKey = plant(
  'host-in-the-key',
  (change, tools) =>
    withLock(tokenLock(`${keyOf(change)}:${tools.process.name}`, tools), tools, () =>
      readModifyWrite(change, tools),
    ),
  (change, tools) => withLock(lockOf(change, tools), tools, () => readModifyWrite(change, tools)),
);

/** The owner is the process: a second request of the same process finds its own name and enters. */
export const ownerIsTheProcess = plant(
  'owner-is-the-process',
  (change, tools) => {
    const { redis, process } = tools;
    const lock = setNx(change, tools, process.name, () => redis.del(keyOf(change)));
    const tryAcquire = async (): Promise<boolean> =>
      (await lock.tryAcquire()) || (await redis.get(lock.key)) === process.name;
    return withLock({ ...lock, tryAcquire }, tools, () => readModifyWrite(change, tools));
  },
  hostInTheKey.fix,
);

/** Rows are locked in cart order. */
export const rowsInCartOrder: Plant = {
  bug: {
    ...planted('rows-in-cart-order', (change, tools) => findStrategy('for-update').apply(change, tools)),
    applyAll: (cart, { balances }) =>
      balances.transaction(async (tx) => {
        const sales: Movement[] = [];
        for (const change of cart) {
          const before = await tx.readForUpdate(change.balance);
          sales.push({ ...change, before, after: valueAfter(change, before) });
        }
        return tx.writeAll(sales);
      }),
  },
  fix: findStrategy('for-update'),
};

interface Statements {
  query(sql: string, values: unknown[]): Promise<unknown>;
}

async function sellByStatements(sql: Statements, change: Change): Promise<Movement> {
  const { balance, delta, request, replica, strategy } = change;
  const { affectedRows, insertId: after } = (await sql.query(
    'UPDATE balance SET amount = LAST_INSERT_ID(amount + ?) WHERE id = ? AND amount + ? >= 0',
    [delta, balance, delta],
  )) as { affectedRows: number; insertId: number };
  if (affectedRows === 0) throw new SoldOut(change);
  await sql.query(
    'INSERT INTO movement (balance, delta, value_before, value_after, request, replica, strategy) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [balance, delta, after - delta, after, request, replica, strategy],
  );
  return { ...change, before: after - delta, after };
}

/** The stock and its movement are written in two transactions. */
export const twoTransactions = (world: () => World): Plant =>
  plant(
    'two-transactions',
    (change) => sellByStatements(dataSourceOf(world(), change), change),
    (change) => dataSourceOf(world(), change).transaction((tx) => sellByStatements(tx, change)),
  );

/** One command creates the lock, and the next one sets its expiry. */
export const expiryComesLater = plant(
  'expiry-comes-later',
  (change, tools) => {
    const lock = lockOf(change, tools);
    const token = randomUUID();
    const tryAcquire = async (): Promise<boolean> => {
      if ((await tools.redis.setnx(lock.key, token)) === 0) return false;
      await tools.redis.pexpire(lock.key, tools.options.leaseMs);
      return true;
    };
    const releaseLock = async (): Promise<void> => {
      if ((await tools.redis.get(lock.key)) === token) await tools.redis.del(lock.key);
    };
    return withLock({ key: lock.key, tryAcquire, release: releaseLock }, tools, () =>
      readModifyWrite(change, tools),
    );
  },
  hostInTheKey.fix,
);

/** A one-shot timer instead of a repeating one. */
export const renewsOnce = plant(
  'renews-once',
  (change, tools) =>
    withLock(lockOf(change, tools), tools, async () => {
      const ticker = renew(change, tools, (self) => async () => {
        self().stop();
        await tools.redis.pexpire(keyOf(change), tools.options.leaseMs);
      });
      try {
        return await readModifyWrite(change, tools);
      } finally {
        ticker.stop();
      }
    }),
  renewed,
);

/** The renewal ends after ten leases, and the holder does not detect it. */
export const endsSilently = plant(
  'ends-silently',
  (change, tools) =>
    withLock(lockOf(change, tools), tools, async () => {
      const until = tools.clock.now() + 10 * tools.options.leaseMs;
      const ticker = renew(change, tools, (self) => async () => {
        if (tools.clock.now() > until) self().stop();
        else await tools.redis.pexpire(keyOf(change), tools.options.leaseMs);
      });
      try {
        return await readModifyWrite(change, tools);
      } finally {
        ticker.stop();
      }
    }),
  renewed,
);

/** The renewal is trusted: the write does not check the value that was read. */
export const trustsTheRenewal: Plant = {
  bug: planted('trusts-the-renewal', renewed),
  fix: findStrategy('optimistic'),
};

/** The renewal covers the work, but not the write. */
export const stopsBeforeTheWrite = plant(
  'stops-before-the-write',
  (change, tools) =>
    withLock(lockOf(change, tools), tools, async () => {
      const before = await tools.balances.read(change.balance);
      const after = valueAfter(change, before);
      const ticker = renew(change, tools);
      try {
        await tools.work();
      } finally {
        ticker.stop();
      }
      return tools.balances.write(change, before, after);
    }),
  renewed,
);

/** One command compares the owner, and the next one deletes the lock. */
export const comparesThenDeletes = plant(
  'compares-then-deletes',
  (change, tools) => {
    const { redis } = tools;
    const token = randomUUID();
    const lock = setNx(change, tools, token, async () => {
      if ((await redis.get(keyOf(change))) === token) await redis.del(keyOf(change));
    });
    return withLock(lock, tools, async () => {
      const ticker = renew(change, tools);
      try {
        return await readModifyWrite(change, tools);
      } finally {
        ticker.stop();
      }
    });
  },
  renewed,
);

/** Only the first request that increments the counter in Redis may buy; without Redis every request may. */
const firstInRedis =
  (withoutRedis: Apply): Apply =>
  async (change, tools) => {
    const { redis } = tools;
    const position = await redis.incr('asked').catch(() => undefined);
    if (position === undefined) return withoutRedis(change, tools);
    if (position > 1) throw new SoldOut(change);
    return readModifyWrite(change, tools);
  };
export const sellsWithoutRedis = plant(
  'sells-without-redis',
  firstInRedis(readModifyWrite),
  firstInRedis(() => {
    throw new DependencyDown('redis', 'nothing is sold without Redis');
  }),
);

/** An acquire that fails counts as successful: without Redis every request may sell. */
export const sellsAfterAFailedAcquire = plant(
  'sells-after-a-failed-acquire',
  (change, tools) => {
    const lock = lockOf(change, tools);
    const tryAcquire = (): Promise<boolean> => lock.tryAcquire().catch(() => true);
    return withLock({ ...lock, tryAcquire }, tools, () => readModifyWrite(change, tools));
  },
  hostInTheKey.fix,
);

/** It tries again until it obtains the lock, however long that takes. */
export const waitsForEver = plant(
  'waits-for-ever',
  (change, tools) =>
    withLock(lockOf(change, tools), { ...tools, options: { ...tools.options, waitMs: Infinity } }, () =>
      readModifyWrite(change, tools),
    ),
  hostInTheKey.fix,
);

/** A failed renewal is skipped, and the holder does not detect it. */
export const failedRenewalIsMissed: Plant = {
  bug: planted('failed-renewal-is-missed', renewed),
  fix: findStrategy('watchdog'),
};

/** The lock belongs to one connection, and the work runs on another one. */
export const workOnAnotherConnection = plant(
  'work-on-another-connection',
  async (change, tools) => {
    const { balances, options, sqlLocks } = tools;
    const movement = await sqlLocks.underNamedLock(keyOf(change), options.waitMs, () =>
      balances.transaction((tx) => readModifyWrite(change, { ...tools, balances: tx })),
    );
    if (movement === undefined) throw new SoldOut(change);
    return movement;
  },
  findStrategy('mysql-named-lock'),
);

/** Retries a failed write. `careful`: unless it may have been committed. */
const triesAgain =
  (careful: boolean): Apply =>
  async (change, { balances }) => {
    try {
      return await balances.writeIfEnough(change);
    } catch (error) {
      if (error instanceof SoldOut || (careful && error instanceof OutcomeUnknown)) throw error;
      return balances.writeIfEnough(change);
    }
  };
export const triesAgainAfterCommit = plant('tries-again-after-commit', triesAgain(false), triesAgain(true));

/** The timer is stopped after the release; `first`: before it. */
const stopsTimer =
  (first: boolean): Apply =>
  (change, tools) => {
    const lock = lockOf(change, tools);
    let ticker: Ticker | undefined;
    const releaseLock = async (): Promise<void> => {
      if (first) ticker?.stop();
      await lock.release();
      ticker?.stop();
    };
    return withLock(
      { key: lock.key, tryAcquire: () => lock.tryAcquire(), release: releaseLock },
      tools,
      () => {
        ticker = renew(change, tools);
        return readModifyWrite(change, tools);
      },
    );
  };
export const stopsTimerAfterRelease = plant('stops-timer-after-release', stopsTimer(false), stopsTimer(true));

/** A failed write is logged, and the buyer receives a confirmation. */
export const failedWriteIsLogged = plant(
  'failed-write-is-logged',
  (change, tools) =>
    withLock(lockOf(change, tools), tools, async () => {
      const before = await tools.balances.read(change.balance);
      const after = valueAfter(change, before);
      try {
        return await tools.balances.write(change, before, after);
      } catch {
        return { ...change, before, after };
      }
    }),
  hostInTheKey.fix,
);

/** A lock without expiry that exists only in Redis. */
const withoutExpiry =
  (section: Apply): Apply =>
  (change, tools) => {
    const { redis } = tools;
    const token = randomUUID();
    const lock = {
      key: keyOf(change),
      tryAcquire: async () => (await redis.setnx(keyOf(change), token)) === 1,
      release: async () => {
        if ((await redis.get(keyOf(change))) === token) await redis.del(keyOf(change));
      },
    };
    return withLock(lock, tools, () => section(change, tools));
  };
/** The stock is protected only by a lock that Redis can lose. */
export const trustsRedis = plant(
  'trusts-redis',
  withoutExpiry(readModifyWrite),
  withoutExpiry((change, { balances }) => balances.writeIfEnough(change)),
);

/** A write that lost a race is answered as sold out. */
export const conflictIsSoldOut = plant(
  'conflict-is-sold-out',
  (change, { balances }) =>
    balances.transaction(async (tx) => {
      const { amount, version } = await tx.readVersion(change.balance);
      const after = valueAfter(change, amount);
      return tx.writeVersion(change, version, amount, after).catch(() => {
        throw new SoldOut(change);
      });
    }),
  findStrategy('optimistic'),
);

/** The lock is released when the sale fails; after a success it is left to expire. */
export const releasesInCatch = plant(
  'releases-in-catch',
  async (change, tools) => {
    const lock = lockOf(change, tools);
    await acquire(lock, tools);
    try {
      return await readModifyWrite(change, tools);
    } catch (error) {
      await release(lock, tools);
      throw error;
    }
  },
  hostInTheKey.fix,
);

/** The lock is acquired inside the `try`: `finally` deletes it although it was not obtained. */
export const acquiresInTheTry = plant(
  'acquires-in-the-try',
  async (change, tools) => {
    const lock = setNx(change, tools, randomUUID(), () => tools.redis.del(keyOf(change)));
    try {
      await acquire(lock, tools);
      return await readModifyWrite(change, tools);
    } finally {
      await release(lock, tools);
    }
  },
  hostInTheKey.fix,
);

/** Each renewal adds a lease to the remaining time. */
export const addsALease = plant(
  'adds-a-lease',
  (change, tools) =>
    withLock(lockOf(change, tools), tools, async () => {
      const { redis, options } = tools;
      const ticker = renew(change, tools, () => async () => {
        await redis.pexpire(keyOf(change), (await redis.pttl(keyOf(change))) + options.leaseMs);
      });
      try {
        return await readModifyWrite(change, tools);
      } finally {
        ticker.stop();
      }
    }),
  renewed,
);

/** Work and one deciding statement under a renewed lock; `ifOurs`: renewed only while the lock is still ours. */
const renewsAndDecides =
  (ifOurs: boolean): Apply =>
  (change, tools) => {
    const lock = tokenLock(keyOf(change), tools);
    return withLock(lock, tools, async () => {
      const { redis, options } = tools;
      const ticker = renew(change, tools, () => async () => {
        if (!ifOurs || (await redis.get(lock.key)) === lock.token)
          await redis.pexpire(lock.key, options.leaseMs);
      });
      try {
        await tools.work();
        return await tools.balances.writeIfEnough(change);
      } finally {
        ticker.stop();
      }
    });
  };
export const renewsWhatever = plant('renews-whatever', renewsAndDecides(false), renewsAndDecides(true));

/** One timer for all locks of a process instead of one per lock. */
const tickers = new WeakMap<object, Ticker>();
export const oneTimerForAProcess = plant(
  'one-timer-for-a-process',
  (change, tools) =>
    withLock(lockOf(change, tools), tools, async () => {
      tickers.get(tools.process)?.stop();
      tickers.set(tools.process, renew(change, tools));
      try {
        return await readModifyWrite(change, tools);
      } finally {
        tickers.get(tools.process)?.stop();
      }
    }),
  renewed,
);

/** A lock that is not renewed, above a write that checks its own condition. */
export const leaseAboveACondition = plant(
  'lease-above-a-condition',
  (change, tools) => withLock(lockOf(change, tools), tools, () => tools.balances.writeIfEnough(change)),
  renewsAndDecides(true),
);

import { Ledger, type Change } from '#lab/balance';
import type { World } from '#lab/explore';
import type { LockRow } from '#lab/locks';
import { codeOf, DependencyDown, InjectedFault, observe, systemClock, type Step } from '#lab/step';
import { DEFAULT_OPTIONS, findStrategy, LocalProcess, type Strategy, type Tools } from '#lab/strategy';
import { openWorld } from '../harness/servers';

/**
 * The client supplies `X-Request-Id`: a proxy or a retry may repeat it. Two requests with one id must be as safe as
 * two requests with two ids.
 */
const REQUEST = 'the-same';
const BALANCE = 'item';
const STOCK = 5;

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, ['zookeeper']);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.redis.flushdb();
  await ledger().reset(BALANCE, STOCK);
  await tools(2).sqlLocks.clear(BALANCE);
});

type ActorTools = Tools & Pick<World['connectionsOfActors'][number], 'dataSource'>;

function tools(actor: number): ActorTools {
  const found = world.connectionsOfActors[actor];
  if (found === undefined) throw new Error(`there is no actor ${actor}`);
  return {
    ...found,
    options: { ...DEFAULT_OPTIONS, waitMs: 0 },
    clock: systemClock,
    process: new LocalProcess(`p${actor}`),
    work: () => Promise.resolve(),
    warn: () => undefined,
  };
}

const ledger = (): Ledger => new Ledger(tools(2).dataSource);
const lockRows = (): Promise<LockRow[]> => tools(2).sqlLocks.rows.ofBalance(BALANCE);

/** The units missing from the row and the units with a movement: equal unless a unit was sold twice. */
async function books(): Promise<{ gone: number; moved: number }> {
  const movements = await ledger().movements(BALANCE);
  return {
    gone: STOCK - (await ledger().find(BALANCE)).amount,
    moved: movements.reduce((units, { delta }) => units - delta, 0),
  };
}

/** A request that is held before one of its steps. */
interface HeldRequest {
  /**
   * `APPLIED`, or the code of the error. A request that is never resumed models a crash: none of its further steps
   * is issued.
   */
  readonly outcome: Promise<string>;
  resume(): void;
  /** Makes the step fail instead of issuing it. */
  fail(error: (step: Step) => Error): void;
}

/**
 * Sends a request on the connections of its own actor; resolves when it is held before the first step that matches
 * `at`.
 */
async function held(strategy: Strategy, actor: number, at: RegExp, delta = -1): Promise<HeldRequest> {
  let reached: () => void = () => undefined;
  let settle: (fail?: (step: Step) => Error) => void = () => undefined;
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const decision = new Promise<((step: Step) => Error) | undefined>((resolve) => (settle = resolve));
  let isFirst = true;
  const listener = async (step: Step, issue: () => Promise<unknown>): Promise<unknown> => {
    if (isFirst && at.test(step.text)) {
      isFirst = false;
      reached();
      const fail = await decision;
      if (fail !== undefined) throw fail(step);
    }
    return issue();
  };
  const outcome = observe({ actor: `actor ${actor}`, listener }, () => apply(strategy, actor, delta));
  const tooEarly = outcome.then((code) => {
    throw new Error(`the request ended with ${code} before it reached ${at.source}`);
  });
  await Promise.race([isReached, tooEarly]);
  tooEarly.catch(() => undefined); // it ends later, as expected
  return {
    outcome,
    resume: () => {
      settle();
    },
    fail: (error) => {
      settle(error);
    },
  };
}

const send = (strategy: Strategy, actor: number): Promise<string> => apply(strategy, actor, -1);

function apply(strategy: Strategy, actor: number, delta: number): Promise<string> {
  const change: Change = {
    balance: BALANCE,
    delta,
    request: REQUEST,
    replica: `p${actor}`,
    strategy: strategy.name,
  };
  return strategy.apply(change, tools(actor)).then(
    () => 'APPLIED',
    (error: unknown) => codeOf(error),
  );
}

const WRITE = /^UPDATE balance SET amount/;

describe('fenced', () => {
  test('a repeated fencing token admits no second holder, whatever the request id', async () => {
    const fenced = findStrategy('fenced');
    const first = await held(fenced, 0, WRITE);
    await world.redis.flushdb(); // the lock and the token counter are gone
    const second = await send(fenced, 1);
    expect(await world.redis.get(`fence:{${BALANCE}}`)).toBe('1'); // the same token as the first holder's
    first.resume();
    expect([await first.outcome, second]).toEqual(['APPLIED', 'LOCK.FENCED']);
    expect(await books()).toEqual({ gone: 1, moved: 1 });
  });

  test.each(['fenced', 'fenced-write'])(
    '%s writes a holder name of its own into the row, not the request id',
    async (name) => {
      expect(await send(findStrategy(name), 0)).toBe('APPLIED');
      const [row] = await tools(2).dataSource.query<{ holder: string }[]>(
        'SELECT holder FROM balance WHERE id = ?',
        [BALANCE],
      );
      expect(row?.holder).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('redis-decr', () => {
  const redisDecr = findStrategy('redis-decr');
  const reconcile = (): Promise<number> => redisDecr.reconcile?.(BALANCE, tools(2)) ?? Promise.resolve(NaN);
  const counted = async (): Promise<number> => Number(await world.redis.get(`stock:{${BALANCE}}`));

  test('the units of a crashed request are returned although another request with its id has bought', async () => {
    expect(await send(redisDecr, 0)).toBe('APPLIED');
    await held(redisDecr, 1, /^START/); // has taken a unit, and crashes
    expect(await counted()).toBe(STOCK - 2);
    expect([await reconcile(), await counted()]).toEqual([1, STOCK - 1]);
    expect(await books()).toEqual({ gone: 1, moved: 1 });
  });

  test('of two concurrent requests only the units of the crashed one are returned', async () => {
    const buyer = await held(redisDecr, 0, /^COMMIT/);
    await held(redisDecr, 1, /^START/); // crashes
    buyer.resume();
    expect(await buyer.outcome).toBe('APPLIED');
    expect([await reconcile(), await counted()]).toEqual([1, STOCK - 1]);
    expect([await reconcile(), await counted()]).toEqual([0, STOCK - 1]);
  });

  test('restocked units are counted although another request with the same id restocks none', async () => {
    const restock = await held(redisDecr, 0, /count-units/, 3);
    const failing = await held(redisDecr, 1, WRITE, 2);
    failing.fail((step) => new InjectedFault('error', step));
    await failing.outcome;
    restock.resume();
    expect(await restock.outcome).toBe('APPLIED');
    await reconcile();
    expect([await counted(), await books()]).toEqual([STOCK + 3, { gone: -3, moved: -3 }]);
  });
});

describe('a lock that is a row', () => {
  test('mysql-lock-table-ttl: a holder whose lease has ended keeps the row of the next holder with the same id', async () => {
    const withLease = findStrategy('mysql-lock-table-ttl');
    const first = await held(withLease, 0, WRITE);
    await tools(2).dataSource.query('UPDATE balance_lock SET expires_at = NOW(6) - INTERVAL 1 SECOND');
    const second = await held(withLease, 1, WRITE);
    first.resume();
    await first.outcome; // it has released its lock
    expect(await lockRows()).toHaveLength(1);
    expect(await send(withLease, 2)).toBe('LOCK.NOT_OBTAINED');
    second.resume();
    await second.outcome;
  });

  test.each([
    ['mysql-lock-table', () => Promise.resolve()],
    ['redis-and-table', () => world.redis.flushdb()], // otherwise its lock in Redis keeps the second request away from the row
  ])('%s: a failed attempt leaves the row of the holder with the same id', async (name, beforeSecond) => {
    const strategy = findStrategy(name);
    const holder = await held(strategy, 0, WRITE);
    await beforeSecond();
    const failing = await held(strategy, 1, /^INSERT IGNORE INTO balance_lock/);
    failing.fail((step) => new InjectedFault('error', step));
    await failing.outcome;
    expect(await lockRows()).toHaveLength(1);
    expect(await send(strategy, 2)).toBe('LOCK.NOT_OBTAINED');
    holder.resume();
    expect(await holder.outcome).toBe('APPLIED');
    expect([await lockRows(), await books()]).toEqual([[], { gone: 1, moved: 1 }]);
  });
});

test('zookeeper-herd: a client that lost the reply to its CREATE does not adopt the node of another request with the same id', async () => {
  const herd = findStrategy('zookeeper-herd');
  const holder = await held(herd, 0, WRITE);
  const second = await held(herd, 1, /^CREATE/);
  second.fail(() => new DependencyDown('zookeeper', 'the connection was lost'));
  expect(await second.outcome).toBe('DEPENDENCY.DOWN');
  expect(await send(herd, 2)).toBe('LOCK.NOT_OBTAINED');
  holder.resume();
  expect(await holder.outcome).toBe('APPLIED');
  expect(await books()).toEqual({ gone: 1, moved: 1 });
});

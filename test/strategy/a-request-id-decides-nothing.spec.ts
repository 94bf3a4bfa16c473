import { Ledger, LockRows, type Change, type LockRow } from '#lab/balance';
import type { World } from '#lab/explore';
import { codeOf, DependencyDown, InjectedFault, observe, systemClock, type Step } from '#lab/step';
import { DEFAULT_OPTIONS, findStrategy, LocalProcess, type Strategy, type Tools } from '#lab/strategy';
import { openWorld } from '../harness/servers';

/**
 * `X-Request-Id` comes from the client: a proxy or a retry may send it twice. Two requests with one id must be as safe as
 * two requests with two.
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
});

type SeatTools = Tools & Pick<World['connectionsOfActors'][number], 'dataSource'>;

function tools(seat: number): SeatTools {
  const found = world.connectionsOfActors[seat];
  if (found === undefined) throw new Error(`there is no seat ${seat}`);
  return {
    ...found,
    options: { ...DEFAULT_OPTIONS, waitMs: 0 },
    clock: systemClock,
    process: new LocalProcess(`p${seat}`),
    work: () => Promise.resolve(),
    warn: () => undefined,
  };
}

const ledger = (): Ledger => new Ledger(tools(2).dataSource);
const lockRows = (): Promise<LockRow[]> => new LockRows(tools(2).dataSource).ofBalance(BALANCE);

/** The units that are gone from the row, and those that have a movement: the same, unless one was sold twice. */
async function books(): Promise<{ gone: number; moved: number }> {
  const movements = await ledger().movements(BALANCE);
  return {
    gone: STOCK - (await ledger().find(BALANCE)).amount,
    moved: movements.reduce((units, { delta }) => units - delta, 0),
  };
}

/** A request that is held before one of its steps. */
interface HeldRequest {
  /** `APPLIED`, or the code of its error. One that is never resumed has died: no step of it is issued any more. */
  readonly outcome: Promise<string>;
  resume(): void;
  /** The step fails instead of being issued. */
  fail(error: (step: Step) => Error): void;
}

/** Sends a request from a seat of its own; resolves when it is held before the first step that `at` matches. */
async function held(strategy: Strategy, seat: number, at: RegExp, delta = -1): Promise<HeldRequest> {
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
  const outcome = observe({ actor: `seat ${seat}`, listener }, () => apply(strategy, seat, delta));
  const tooEarly = outcome.then((code) => {
    throw new Error(`the request ended with ${code} before it came to ${at.source}`);
  });
  await Promise.race([isReached, tooEarly]);
  tooEarly.catch(() => undefined); // it ends later, as it should
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

const send = (strategy: Strategy, seat: number): Promise<string> => apply(strategy, seat, -1);

function apply(strategy: Strategy, seat: number, delta: number): Promise<string> {
  const change: Change = {
    balance: BALANCE,
    delta,
    request: REQUEST,
    replica: `p${seat}`,
    strategy: strategy.name,
  };
  return strategy.apply(change, tools(seat)).then(
    () => 'APPLIED',
    (error: unknown) => codeOf(error),
  );
}

const WRITE = /^UPDATE balance SET amount/;

describe('fenced', () => {
  test('a fencing token that repeats lets no second holder in, whatever its request id', async () => {
    const fenced = findStrategy('fenced');
    const first = await held(fenced, 0, WRITE);
    await world.redis.flushdb(); // the lock and the counter of its tokens are gone
    const second = await send(fenced, 1);
    expect(await world.redis.get(`fence:{${BALANCE}}`)).toBe('1'); // the token of the first one, once more
    first.resume();
    expect([await first.outcome, second]).toEqual(['APPLIED', 'LOCK.FENCED']);
    expect(await books()).toEqual({ gone: 1, moved: 1 });
  });

  test.each(['fenced', 'fenced-write'])('%s writes a name of its own into the row', async (name) => {
    expect(await send(findStrategy(name), 0)).toBe('APPLIED');
    const [row] = await tools(2).dataSource.query<{ holder: string }[]>(
      'SELECT holder FROM balance WHERE id = ?',
      [BALANCE],
    );
    expect(row?.holder).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('redis-decr', () => {
  const redisDecr = findStrategy('redis-decr');
  const reconcile = (): Promise<number> => redisDecr.reconcile?.(BALANCE, tools(2)) ?? Promise.resolve(NaN);
  const counted = async (): Promise<number> => Number(await world.redis.get(`stock:{${BALANCE}}`));

  test('the units of a request that died are given back, although one of its id has bought', async () => {
    expect(await send(redisDecr, 0)).toBe('APPLIED');
    await held(redisDecr, 1, /^START/); // has taken a unit, and dies
    expect(await counted()).toBe(STOCK - 2);
    expect([await reconcile(), await counted()]).toEqual([1, STOCK - 1]);
    expect(await books()).toEqual({ gone: 1, moved: 1 });
  });

  test('of two that take at the same time, the one that dies is given back, and the other one is not', async () => {
    const buyer = await held(redisDecr, 0, /^COMMIT/);
    await held(redisDecr, 1, /^START/); // dies
    buyer.resume();
    expect(await buyer.outcome).toBe('APPLIED');
    expect([await reconcile(), await counted()]).toEqual([1, STOCK - 1]);
    expect([await reconcile(), await counted()]).toEqual([0, STOCK - 1]);
  });

  test('units that were brought are counted, although another one of that id brings none', async () => {
    const bringer = await held(redisDecr, 0, /count-units/, 3);
    const failing = await held(redisDecr, 1, WRITE, 2);
    failing.fail((step) => new InjectedFault('error', step));
    await failing.outcome;
    bringer.resume();
    expect(await bringer.outcome).toBe('APPLIED');
    await reconcile();
    expect([await counted(), await books()]).toEqual([STOCK + 3, { gone: -3, moved: -3 }]);
  });
});

describe('a lock that is a row', () => {
  test('mysql-lock-table-ttl: a holder whose lease has ended leaves the row of the next one of its id', async () => {
    const withLease = findStrategy('mysql-lock-table-ttl');
    const first = await held(withLease, 0, WRITE);
    await tools(2).dataSource.query('UPDATE balance_lock SET expires_at = NOW(6) - INTERVAL 1 SECOND');
    const second = await held(withLease, 1, WRITE);
    first.resume();
    await first.outcome; // it has released
    expect(await lockRows()).toHaveLength(1);
    expect(await send(withLease, 2)).toBe('LOCK.NOT_OBTAINED');
    second.resume();
    await second.outcome;
  });

  test.each([
    ['mysql-lock-table', () => Promise.resolve()],
    ['redis-and-table', () => world.redis.flushdb()], // else its lock in Redis keeps the second one from the row
  ])('%s: a try that fails leaves the row of the holder of its id', async (name, beforeSecond) => {
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

test('zookeeper-herd: who lost the reply to its try does not take the node of another one of its id for its own', async () => {
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

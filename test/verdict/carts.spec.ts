import type { HistoryLine } from '#lab/step';
import { SAFE, type Expectation } from '#lab/strategy';
import {
  judgeCarts,
  judgeLoad,
  type ClientAnswer,
  type CartsVerdict,
  type Evidence,
  type Movement,
} from '#lab/verdict';

/** A run of carts of `a` and `b`, told by hand: each call is one thing that happened, a millisecond after the one before. */
class Carts {
  private readonly history: HistoryLine[] = [];
  private readonly movements = new Map<string, Movement[]>([
    ['a', []],
    ['b', []],
  ]);
  private readonly orders = new Map<string, { request: string }[]>([
    ['a', []],
    ['b', []],
  ]);
  private readonly answers: ClientAnswer[] = [];
  private readonly stock = new Map([
    ['a', 10],
    ['b', 10],
  ]);
  private t = 0;
  private order = 0;

  arrives(request: string, replica = 'inventory-1', cart = ['a', 'b']): this {
    const lines = cart.map((balance) => ({ balance, delta: -1 }));
    const about = { request, ...lines[0], cart: lines, strategy: 'multi', options: {} };
    return this.line({ type: 'request', app: 'inventory', ...about }, replica);
  }

  ends(request: string, replica = 'inventory-1', code = 'APPLIED'): this {
    return this.line({ type: 'outcome', app: 'inventory', request, code }, replica);
  }

  /** Asks for the lock of a balance; `reply` null: somebody has it. */
  asks(request: string, balance: string, reply: 'OK' | null = 'OK', replica?: string): this {
    return this.onLock(request, balance, { verb: 'SET', reply }, replica);
  }

  releases(request: string, balance: string, reply = 1): this {
    return this.onLock(request, balance, { verb: 'EVALSHA', script: 'release-if-owner', reply });
  }

  writes(request: string): this {
    return this.line({ type: 'step', request, n: 1, took: 10, kind: 'sql', verb: 'UPDATE', text: 'UPDATE' });
  }

  /** The rows of a sale of a balance, from what its stock really is or from `before`. */
  sells(request: string, sku: string, before = this.stock.get(sku) ?? 0, order = true): this {
    const after = before - 1;
    const rows = this.movements.get(sku) ?? [];
    const who = { request, replica: 'inventory-1', strategy: 'multi', at: '2025-01-01T00:00:00.000Z' };
    rows.push({ id: rows.length + 1, segment: null, delta: -1, before, after, ...who });
    if (order) this.orders.get(sku)?.push({ request });
    this.stock.set(sku, after);
    return this;
  }

  told(request: string, code = 'APPLIED', cart = ['a', 'b']): this {
    this.answers.push({ request, status: 0, code, quantity: 1, cart, replica: 'order-1', at: 0, tookMs: 1 });
    return this;
  }

  /** Two carts on two replicas, each in the middle of the other, both sold. */
  clean(): this {
    this.arrives('x').arrives('y', 'inventory-2').ends('x').ends('y', 'inventory-2');
    for (const request of ['x', 'y']) this.sells(request, 'a').sells(request, 'b').told(request);
    return this;
  }

  evidence(sku: string): Evidence {
    return {
      sku,
      strategy: 'multi',
      initial: 10,
      finalStock: this.stock.get(sku) ?? 0,
      movements: this.movements.get(sku) ?? [],
      segments: [],
      orders: this.orders.get(sku) ?? [],
      history: this.history,
      locks: [],
      answers: this.answers,
      replicas: 2,
      faults: [],
    };
  }

  judge(expected: Expectation = SAFE): CartsVerdict {
    return judgeCarts([this.evidence('a'), this.evidence('b')], expected);
  }

  /** The first replica is killed. */
  dies(): this {
    return this.line({ type: 'exit', signal: 'SIGKILL', code: null });
  }

  private onLock(request: string, balance: string, what: object, replica?: string): this {
    const key = `lock:{${balance}}:multi`;
    const step = { type: 'step', request, n: 1, took: 10, kind: 'redis', key, text: `… ${key}` };
    return this.line({ ...step, order: ++this.order, ...what }, replica);
  }

  private line(what: object, replica = 'inventory-1'): this {
    this.t += 1000;
    this.history.push({ t: this.t, replica, pid: Number(replica.slice(-1)), ...what } as HistoryLine);
    return this;
  }
}

test('carts that were sold whole, one after the other, are safe; each balance is judged by itself', () => {
  const verdict = new Carts().clean().judge();
  expect(verdict).toMatchObject({ verdict: 'safe', asExpected: true, sold: 4, initial: 20, finalStock: 16 });
  expect(verdict.because).toEqual(['a and b: each unit was sold once, and buyers did meet']);
  expect(verdict.balances).toMatchObject([
    { sku: 'a', verdict: 'safe', sold: 2, finalStock: 8 },
    { sku: 'b', verdict: 'safe', sold: 2, finalStock: 8 },
  ]);
});

test('what is wrong with one balance is said of that one', () => {
  const verdict = new Carts()
    .clean()
    .arrives('z')
    .sells('z', 'a')
    .sells('z', 'b', 9)
    .told('z')
    .ends('z')
    .judge();
  expect(verdict).toMatchObject({ violations: ['lost-update'], lostUpdates: 1, asExpected: false });
  expect(verdict.because).toEqual([expect.stringMatching(/^b: 1 update lost: sold, and still in the stock/)]);
  expect(verdict.balances.map((balance) => balance.verdict)).toEqual(['safe', 'violated']);
});

test('a cart of which only a part was sold is torn', () => {
  const verdict = new Carts()
    .clean()
    .arrives('z')
    .sells('z', 'a')
    .told('z', 'OUTCOME_UNKNOWN')
    .ends('z')
    .judge();
  expect(verdict).toMatchObject({ violations: ['torn-cart'], tornCarts: ['z'] });
});

test('a movement of one product has its order among the orders of that product', () => {
  const verdict = new Carts()
    .clean()
    .arrives('z')
    .sells('z', 'a')
    .sells('z', 'b', undefined, false)
    .ends('z')
    .judge();
  expect(verdict).toMatchObject({ violations: ['orphan'], orphans: ['z'], phantoms: [] });
  expect(verdict.balances.map(({ orphans }) => orphans)).toEqual([[], ['z']]);
});

describe('a cart that is refused as sold out', () => {
  test('is refused rightly while one of its products is', () => {
    const builder = new Carts().clean();
    for (let n = 0; n < 8; n++)
      builder.arrives(`n${n}`, 'inventory-1', ['b']).sells(`n${n}`, 'b').ends(`n${n}`);
    expect(builder.told('z', 'STOCK.SOLD_OUT').judge()).toMatchObject({ verdict: 'safe', violations: [] });
  });

  test('is undersold while there is enough of all of them', () => {
    expect(new Carts().clean().told('z', 'STOCK.SOLD_OUT').judge().violations).toEqual(['undersold']);
  });

  test('of other products says nothing of this one', () => {
    const builder = new Carts().clean().told('z', 'STOCK.SOLD_OUT', ['b']);
    expect(builder.judge().balances.map(({ violations }) => violations)).toEqual([[], ['undersold']]);
  });
});

describe('a dead-lock', () => {
  const crossed = (): Carts =>
    new Carts().clean().arrives('p').arrives('q').asks('p', 'a').asks('q', 'b').asks('p', 'b', null);

  test('is a circle of requests that wait for one another, each a holder; counted once however often they try', () => {
    const builder = crossed();
    for (let n = 0; n < 3; n++) builder.asks('q', 'a', null).asks('p', 'b', null);
    const verdict = builder.releases('p', 'a').releases('q', 'b').ends('p').ends('q').judge();
    expect(verdict.violations).toEqual(['dead-lock']);
    expect(verdict.because).toEqual([
      'a and b: 1 dead-lock: requests waited for each other, e.g. q for lock:{a}:multi and p for lock:{b}:multi',
    ]);
    const waiters = [
      { request: 'q', waitsFor: 'lock:{a}:multi' },
      { request: 'p', waitsFor: 'lock:{b}:multi' },
    ];
    expect(verdict.deadLocks).toEqual([{ waiters }]);
  });

  test('is none when one of them has given back what it held before the other one asks', () => {
    const builder = crossed().releases('p', 'a').asks('q', 'a').releases('q', 'a').releases('q', 'b');
    expect(builder.ends('p').ends('q').judge()).toMatchObject({ verdict: 'safe', deadLocks: [] });
  });

  test('is none with a holder who has died: it waits no longer, only its lock stays', () => {
    const builder = crossed().dies().asks('q', 'a', null, 'inventory-2').releases('q', 'b');
    expect(builder.ends('q').judge().deadLocks).toEqual([]);
  });

  test('is none when somebody waits for a holder who waits for nobody', () => {
    const builder = new Carts().clean().arrives('p').arrives('q').asks('p', 'a').asks('q', 'a', null);
    expect(builder.releases('p', 'a').ends('p').ends('q').judge().violations).toEqual([]);
  });
});

test('who holds the lock of one balance is no matter of the other one', () => {
  const builder = new Carts().clean().arrives('p').arrives('q');
  builder.asks('p', 'a').asks('q', 'a').writes('p').writes('q').releases('q', 'a').releases('p', 'a', 0);
  const { balances } = builder.ends('p').ends('q').judge();
  expect(balances.map(({ overlaps }) => overlaps.length)).toEqual([1, 0]);
  expect(judgeLoad(builder.evidence('b'), SAFE).violations).toEqual([]);
});

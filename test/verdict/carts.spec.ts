import type { HistoryLine } from '#lab/step';
import { SAFE, type Expectation } from '#lab/strategy';
import {
  cartReasonInChinese,
  judgeCarts,
  judgeLoad,
  type ClientAnswer,
  type CartsVerdict,
  type Evidence,
  type Movement,
} from '#lab/verdict';
import { recordedLock } from '../harness/recorded-lock';

/** Builds a run of carts of `a` and `b` by hand: each call is one event, one millisecond after the previous one. */
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

  /** Tries to acquire the lock of a balance; `reply` null: another request holds it. */
  tries(request: string, balance: string, reply: 'OK' | null = 'OK', replica?: string): this {
    return this.onLock(request, balance, { verb: 'SET', reply }, replica);
  }

  releases(request: string, balance: string, reply = 1): this {
    return this.onLock(request, balance, { verb: 'EVALSHA', script: 'release-if-owner', reply });
  }

  writes(request: string): this {
    return this.line({ type: 'step', request, n: 1, took: 10, kind: 'sql', verb: 'UPDATE', text: 'UPDATE' });
  }

  /** The rows of a sale of a balance, from its actual stock or from `before`. */
  sells(request: string, sku: string, before = this.stock.get(sku) ?? 0, order = true): this {
    const after = before - 1;
    const rows = this.movements.get(sku) ?? [];
    const origin = { request, replica: 'inventory-1', strategy: 'multi', at: '2025-01-01T00:00:00.000Z' };
    rows.push({ id: rows.length + 1, segment: null, delta: -1, before, after, ...origin });
    if (order) this.orders.get(sku)?.push({ request });
    this.stock.set(sku, after);
    return this;
  }

  answered(request: string, code = 'APPLIED', cart = ['a', 'b']): this {
    this.answers.push({ request, status: 0, code, quantity: 1, cart, replica: 'order-1', at: 0, tookMs: 1 });
    return this;
  }

  /** Two concurrent carts on two replicas, both sold. */
  clean(): this {
    this.arrives('x').arrives('y', 'inventory-2').ends('x').ends('y', 'inventory-2');
    for (const request of ['x', 'y']) this.sells(request, 'a').sells(request, 'b').answered(request);
    return this;
  }

  evidence(sku: string): Evidence {
    return {
      balance: sku,
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

  /** Kills the first replica. */
  dies(): this {
    return this.line({ type: 'exit', signal: 'SIGKILL', code: null });
  }

  private onLock(request: string, balance: string, what: object, replica?: string): this {
    const key = `lock:{${balance}}:multi`;
    const about = { kind: 'redis', key, text: `… ${key}`, order: ++this.order, ...what };
    return this.line({ type: 'step', request, n: 1, took: 10, ...about, ...recordedLock(about) }, replica);
  }

  private line(what: object, replica = 'inventory-1'): this {
    this.t += 1000;
    this.history.push({ t: this.t, replica, pid: Number(replica.slice(-1)), ...what } as HistoryLine);
    return this;
  }
}

test('carts sold whole, one after the other, are safe; each balance is judged separately', () => {
  const verdict = new Carts().clean().judge();
  expect(verdict).toMatchObject({ verdict: 'safe', asExpected: true, sold: 4, initial: 20, finalStock: 16 });
  expect(verdict.because).toEqual(['a and b: each unit was sold once, under contention']);
  expect(verdict.cartReasons.map(cartReasonInChinese)).toEqual(['a 和 b：有竞争，每件都只卖出一次']);
  expect(verdict.balances).toMatchObject([
    { sku: 'a', verdict: 'safe', sold: 2, finalStock: 8 },
    { sku: 'b', verdict: 'safe', sold: 2, finalStock: 8 },
  ]);
});

test('a violation is attributed to its balance', () => {
  const verdict = new Carts()
    .clean()
    .arrives('z')
    .sells('z', 'a')
    .sells('z', 'b', 9)
    .answered('z')
    .ends('z')
    .judge();
  expect(verdict).toMatchObject({ violations: ['lost-update'], lostUpdates: 1, asExpected: false });
  expect(verdict.because).toEqual([expect.stringMatching(/^b: 1 update lost: sold, and still in the stock/)]);
  expect(verdict.cartReasons.map(cartReasonInChinese)).toEqual([
    expect.stringMatching(/^b：丢失 1 次更新：已售出，库存却没有扣/),
  ]);
  expect(verdict.balances.map((balance) => balance.verdict)).toEqual(['safe', 'violated']);
});

test('a partly sold cart is torn', () => {
  const verdict = new Carts()
    .clean()
    .arrives('z')
    .sells('z', 'a')
    .answered('z', 'OUTCOME_UNKNOWN')
    .ends('z')
    .judge();
  expect(verdict).toMatchObject({ violations: ['torn-cart'], tornCarts: ['z'] });
  expect(verdict.cartReasons.map(cartReasonInChinese)).toEqual(['1 个购物车只成交了一部分，例如 z']);
});

test('a movement of one product is matched with the orders of that product', () => {
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

describe('a cart refused as sold out', () => {
  test('is correct while one of its products is sold out', () => {
    const builder = new Carts().clean();
    for (let n = 0; n < 8; n++)
      builder.arrives(`n${n}`, 'inventory-1', ['b']).sells(`n${n}`, 'b').ends(`n${n}`);
    expect(builder.answered('z', 'STOCK.SOLD_OUT').judge()).toMatchObject({
      verdict: 'safe',
      violations: [],
    });
  });

  test('is undersold while all of its products have enough stock', () => {
    expect(new Carts().clean().answered('z', 'STOCK.SOLD_OUT').judge().violations).toEqual(['undersold']);
  });

  test('does not affect the verdict on other products', () => {
    const builder = new Carts().clean().answered('z', 'STOCK.SOLD_OUT', ['b']);
    expect(builder.judge().balances.map(({ violations }) => violations)).toEqual([[], ['undersold']]);
  });
});

describe('a dead-lock', () => {
  const crossed = (): Carts =>
    new Carts().clean().arrives('p').arrives('q').tries('p', 'a').tries('q', 'b').tries('p', 'b', null);

  test('is a cycle of requests that each hold a lock and wait for another; it counts once however often they retry', () => {
    const builder = crossed();
    for (let n = 0; n < 3; n++) builder.tries('q', 'a', null).tries('p', 'b', null);
    const verdict = builder.releases('p', 'a').releases('q', 'b').ends('p').ends('q').judge();
    expect(verdict.violations).toEqual(['dead-lock']);
    expect(verdict.because).toEqual([
      'a and b: 1 deadlock: requests waited for each other, e.g. q for lock:{a}:multi and p for lock:{b}:multi',
    ]);
    const waiters = [
      { request: 'q', waitsFor: 'lock:{a}:multi' },
      { request: 'p', waitsFor: 'lock:{b}:multi' },
    ];
    expect(verdict.deadLocks).toEqual([{ waiters }]);
  });

  test('is not reported when one of them has released its lock before the other one asks', () => {
    const builder = crossed().releases('p', 'a').tries('q', 'a').releases('q', 'a').releases('q', 'b');
    expect(builder.ends('p').ends('q').judge()).toMatchObject({ verdict: 'safe', deadLocks: [] });
  });

  test('is not reported with a dead holder: it does not wait any more, only its lock remains', () => {
    const builder = crossed().dies().tries('q', 'a', null, 'inventory-2').releases('q', 'b');
    expect(builder.ends('q').judge().deadLocks).toEqual([]);
  });

  test('is not reported when the holder itself does not wait', () => {
    const builder = new Carts().clean().arrives('p').arrives('q').tries('p', 'a').tries('q', 'a', null);
    expect(builder.releases('p', 'a').ends('p').ends('q').judge().violations).toEqual([]);
  });
});

test("the holder of one balance's lock is irrelevant to the other balance", () => {
  const builder = new Carts().clean().arrives('p').arrives('q');
  builder.tries('p', 'a').tries('q', 'a').writes('p').writes('q').releases('q', 'a').releases('p', 'a', 0);
  const { balances } = builder.ends('p').ends('q').judge();
  expect(balances.map(({ overlaps }) => overlaps.length)).toEqual([1, 0]);
  expect(judgeLoad(builder.evidence('b'), SAFE).violations).toEqual([]);
});

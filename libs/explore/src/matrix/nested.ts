import type { Change } from '#lab/balance';
import {
  acquire,
  LockNotObtained,
  lockKey,
  readModifyWrite,
  reentrantLock,
  release,
  tokenLock,
  withLock,
  type Strategy,
  type Tools,
} from '#lab/strategy';
import type { ScheduleHistory, ScheduleVerdict, ScheduleViolationKind } from '#lab/verdict';
import { randomUUID } from 'node:crypto';
import { before, Schedule } from '../schedule';
import type { World } from '../world';

interface Menu {
  readonly name: string;
  readonly children: readonly Menu[];
}

/** The article's tree, minimal. */
const MENU: Menu = { name: 'menu', children: [{ name: 'sub-menu', children: [] }] };

/** One variant of walking the tree with every call under the same lock; at the end the outermost call sells. */
export interface NestedWay {
  readonly name: string;
  /** Description of the result. */
  readonly shows: string;
  readonly expected: {
    readonly kinds: readonly ScheduleViolationKind[];
    /** Results of the two buyers. */
    readonly outcomes: readonly string[];
  };
  readonly strategy: Strategy;
}

/** Walks the children under the parent's lock; then the outermost call sells. */
type Walk = (change: Change, tools: Tools) => ReturnType<Strategy['apply']>;

const key = ({ balance }: Change): string => lockKey(balance, 'menu');

/** Releases in `finally` even if it did not acquire: the inner call deletes the lock of the outer call. */
const asPublished: Walk = (change, tools) => {
  const lock = {
    key: key(change),
    tryAcquire: async () =>
      (await tools.redis.set(key(change), 'locked', 'PX', tools.options.leaseMs, 'NX')) === 'OK',
    release: () => tools.redis.del(key(change)),
  };
  const walk = async (menu: Menu): Promise<void> => {
    try {
      if (!(await lock.tryAcquire())) return; // the article assumes that another request is loading the menu
      for (const child of menu.children) await walk(child);
    } finally {
      await release(lock, tools);
    }
  };
  const outermost = async (): ReturnType<Walk> => {
    await acquire(lock, tools);
    try {
      for (const child of MENU.children) await walk(child);
      return await readModifyWrite(change, tools);
    } finally {
      await release(lock, tools);
    }
  };
  return outermost();
};

/** Waits for the lock in each call: the inner call waits for the outer call, which waits for the inner call. */
const waiting: Walk = (change, tools) => {
  const walk = (menu: Menu): Promise<void> =>
    withLock(tokenLock(key(change), tools), tools, async () => {
      for (const child of menu.children) await walk(child);
    });
  return withLock(tokenLock(key(change), tools), tools, async () => {
    for (const child of MENU.children) await walk(child);
    return readModifyWrite(change, tools);
  });
};

/** The lock stores its owner and a count: the inner call acquires it again, and releases it once. */
const reentrant: Walk = (change, tools) => {
  const owner = randomUUID();
  const walk = (menu: Menu, depth: number): Promise<void> =>
    withLock(reentrantLock(key(change), owner, tools, depth), tools, async () => {
      for (const child of menu.children) await walk(child, depth + 1);
    });
  return withLock(reentrantLock(key(change), owner, tools), tools, async () => {
    for (const child of MENU.children) await walk(child, 1);
    return readModifyWrite(change, tools);
  });
};

const nestedStrategy = (name: string, apply: Walk): Strategy => ({
  name,
  mechanism: '',
  defect: '',
  source: '',
  next: { why: '' },
  options: ['leaseMs', 'waitMs', 'retryMs'],
  lacks: [],
  expected: {},
  apply,
});

const GAVE_UP = new LockNotObtained('', 0, 0).code;

/** Three variants of the nested call, in the order of the article's corrections. */
export const NESTED: readonly NestedWay[] = [
  {
    name: 'as published',
    shows:
      'the inner call does not get the lock, but its finally block deletes it: the outer call continues without a lock',
    expected: { kinds: ['oversold', 'lost-update'], outcomes: ['APPLIED', 'APPLIED'] },
    strategy: nestedStrategy('nested-as-published', asPublished),
  },
  {
    name: 'waiting',
    shows: 'the inner call waits for the lock of the outer call until waitMs is over: neither buyer sells',
    expected: { kinds: ['dead-lock'], outcomes: [GAVE_UP, GAVE_UP] },
    strategy: nestedStrategy('nested-waiting', waiting),
  },
  {
    name: 'reentrant',
    shows: 'the inner call acquires the lock of its own request again: one buyer sells, the other one waits',
    expected: { kinds: [], outcomes: ['APPLIED', 'STOCK.SOLD_OUT'] },
    strategy: nestedStrategy('nested-reentrant', reentrant),
  },
];

/** One variant, run: A stops at its write if it reaches it, B runs until it blocks or ends, and both finish. */
export interface NestedRun {
  readonly way: NestedWay;
  readonly history: ScheduleHistory;
  readonly verdict: ScheduleVerdict;
  readonly outcomes: readonly (string | undefined)[];
  readonly asExpected: boolean;
}

/**
 * Two buyers want the last unit, each with the nested call. The wait is shorter than the lease, so that the wait ends
 * first.
 */
export async function playNested(world: World, way: NestedWay): Promise<NestedRun> {
  const schedule = await Schedule.begin(world, way.strategy, {
    options: { waitMs: 5000 },
    processes: ['p1', 'p2'],
  });
  const { A, B } = schedule;
  await A.runTowards(before('UPDATE balance SET'));
  await B.finish();
  await A.finish();
  const { history, verdict } = await schedule.end();
  const outcomes = [A.outcome, B.outcome];
  const kinds = new Set(verdict.violations.map(({ kind }) => kind));
  return {
    way,
    history,
    verdict,
    outcomes,
    asExpected:
      kinds.size === way.expected.kinds.length &&
      way.expected.kinds.every((kind) => kinds.has(kind)) &&
      way.expected.outcomes.every((code, i) => outcomes[i] === code),
  };
}

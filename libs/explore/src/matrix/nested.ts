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

/** A menu and its sub-menus. */
interface Menu {
  readonly name: string;
  readonly children: readonly Menu[];
}

/** The article's tree, as small as it can be. */
const MENU: Menu = { name: 'menu', children: [{ name: 'sub-menu', children: [] }] };

/** One way of walking the tree with each call under the same lock; at the end the outermost call sells. */
export interface NestedWay {
  readonly name: string;
  /** What becomes of it, in words. */
  readonly shows: string;
  readonly expected: {
    readonly kinds: readonly ScheduleViolationKind[];
    /** What the two buyers are told. */
    readonly outcomes: readonly string[];
  };
  readonly strategy: Strategy;
}

/** Walks the tree: the children, each under the lock as its parent is, and then, at the top, the sale. */
type Walk = (change: Change, tools: Tools) => ReturnType<Strategy['apply']>;

const key = ({ balance }: Change): string => lockKey(balance, 'menu');

/** Releases in finally whether or not it acquired: the call inside frees the lock of the call around it. */
const asPublished: Walk = (change, tools) => {
  const lock = {
    key: key(change),
    tryAcquire: async () =>
      (await tools.redis.set(key(change), 'locked', 'PX', tools.options.leaseMs, 'NX')) === 'OK',
    release: () => tools.redis.del(key(change)),
  };
  const walk = async (menu: Menu): Promise<void> => {
    try {
      if (!(await lock.tryAcquire())) return; // "somebody is loading it already"
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

/** Waits for the lock in each call: the call inside waits for the call around it, which waits for the call inside. */
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

/** The lock knows its owner, and counts: the call inside takes it once more, and gives it back once. */
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

const walking = (name: string, apply: Walk): Strategy => ({
  name,
  mechanism: '',
  defect: '',
  source: '',
  next: '',
  options: ['leaseMs', 'waitMs', 'retryMs'],
  lacks: [],
  expected: {},
  apply,
});

const GAVE_UP = new LockNotObtained('', 0, 0).code;

/** The nested call three ways, in the order in which an article corrects itself. */
export const NESTED: readonly NestedWay[] = [
  {
    name: 'as published',
    shows:
      'the inner call does not get the lock, and its finally deletes it all the same: the outer call goes on without one',
    expected: { kinds: ['oversold', 'lost-update'], outcomes: ['APPLIED', 'APPLIED'] },
    strategy: walking('nested-as-published', asPublished),
  },
  {
    name: 'waiting',
    shows: 'the inner call waits for the lock of the outer call, until waitMs is over: nobody sells anything',
    expected: { kinds: ['dead-lock'], outcomes: [GAVE_UP, GAVE_UP] },
    strategy: walking('nested-waiting', waiting),
  },
  {
    name: 'reentrant',
    shows:
      'the inner call takes the lock of its own request once more: one sells, the other one waits for it',
    expected: { kinds: [], outcomes: ['APPLIED', 'STOCK.SOLD_OUT'] },
    strategy: walking('nested-reentrant', reentrant),
  },
];

/** A way, played: A stops at its write if it gets there, B goes as far as it can, and both finish. */
export interface NestedRun {
  readonly way: NestedWay;
  readonly history: ScheduleHistory;
  readonly verdict: ScheduleVerdict;
  readonly outcomes: readonly (string | undefined)[];
  readonly asExpected: boolean;
}

/** Two buyers want the last unit, each by way of the menu. The wait is shorter than the lease: it is the wait that ends. */
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

import {
  afterFault,
  alone,
  crossedCarts,
  first,
  longWork,
  outlives,
  paused,
  restOnFirstLock,
  rush,
  type Scenario,
  scenario,
  untilSale,
  workTime,
} from './scenario';

/** 25 units in each of four segments, and orders of two. */
const bySegments = { ...rush, quantity: 2, options: { waitMs: 20_000, workMs: 5 } };
/** The first buyer is killed before its UPDATE, while it holds the lock. */
const killedAtRow = {
  ...afterFault,
  options: { leaseMs: 1000, waitMs: 20_000 },
  fault: first('before(UPDATE)=kill'),
};

/** Locks in one Redis or a directory: rows of `lab demo --all`, in catalogue order. */
export const REDIS_LOCKS: readonly Scenario[] = [
  scenario('directory', 'mkdir succeeds for one, on one host: exact', {
    strategy: 'directory',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'directory-killed',
    'holder killed: its directory stays forever',
    {
      strategy: 'directory',
      ...afterFault,
      options: { waitMs: 300 },
      fault: first('after(MKDIR)=kill'),
    },
    alone,
  ),
  scenario(
    'get-set',
    "two see no key: oversells, deletes other holders' locks",
    { strategy: 'get-set', ...rush, options: { workMs: 5, waitMs: 20_000 } },
    workTime,
  ),
  scenario(
    'setnx-release-fails',
    'one DEL fails: stuck forever',
    {
      strategy: 'setnx',
      ...afterFault,
      options: { waitMs: 300 },
      fault: first('before(DEL)=error'),
    },
    'the first buyer is alone, and its DEL is not sent',
  ),
  scenario('setnx-catch', 'one sale, then stuck forever', {
    strategy: 'setnx-catch',
    ...afterFault,
    options: { waitMs: 300 },
  }),
  scenario(
    'setnx-expire-killed',
    'killed between SETNX and PEXPIRE: stuck forever',
    {
      strategy: 'setnx-expire',
      ...afterFault,
      options: { leaseMs: 500, waitMs: 300 },
      fault: first('after(SETNX)=kill'),
    },
    alone,
  ),
  scenario(
    'setnx-expire-all-killed',
    "waiters renew a killed holder's lock: no sale",
    {
      strategy: 'setnx-expire-all',
      ...afterFault,
      options: { leaseMs: 500, waitMs: 800 },
      fault: first('after(SETNX)=kill'),
    },
    alone,
  ),
  scenario(
    'lua-long-work',
    'work outlives the lease: two holders, oversells',
    { strategy: 'lua', ...longWork },
    outlives,
  ),
  scenario(
    'unlock-unacquired',
    "requests without the lock delete the holder's: oversells",
    {
      strategy: 'unlock-unacquired',
      stock: 5,
      requests: 60,
      connections: 20,
      options: { workMs: 300, waitMs: 100 },
    },
    'work 300 ms, wait at most 100 ms',
  ),
  scenario('token-by-reference', 'no release ever succeeds: exact, but one sale per lease', {
    strategy: 'token-by-reference',
    stock: 5,
    requests: 10,
    connections: 10,
    options: { leaseMs: 300, waitMs: 20_000 },
  }),
  scenario(
    'watchdog-naive-release-fails',
    'release fails: the lock is renewed forever',
    {
      strategy: 'watchdog-naive',
      ...afterFault,
      options: { leaseMs: 300, waitMs: 900 },
      fault: first('before(release-if-owner)=error'),
    },
    'the first buyer is alone, and its release is not sent',
  ),
  scenario(
    'watchdog-shared-flag-paused',
    'paused before its write: loses an update',
    {
      strategy: 'watchdog-shared-flag',
      ...paused,
      fault: first('before(UPDATE)=pause(sale)'),
    },
    untilSale,
  ),
  scenario(
    'rollback-on-loss-long-work',
    'work outlives the lease: two holders, all roll back',
    { strategy: 'rollback-on-loss', ...longWork },
    outlives,
  ),
  scenario(
    'rollback-on-loss-paused',
    'paused between its check and its COMMIT: loses an update',
    {
      strategy: 'rollback-on-loss',
      ...afterFault,
      options: { leaseMs: 700, waitMs: 20_000 },
      fault: first('before(COMMIT)=pause(1050)'),
    },
    'pause 1050 ms, lease 700 ms: the second holder has read and waits for the row lock',
  ),
  scenario(
    'reentrant-thread',
    'all requests of a replica are one owner: oversells',
    { strategy: 'reentrant-thread', ...rush, options: { workMs: 5, waitMs: 20_000 } },
    workTime,
  ),
  scenario('reentrant', 'a call inside the sale takes the lock again: exact', {
    strategy: 'reentrant',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario('read-write', 'one writer at a time: exact', {
    strategy: 'read-write',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'read-write-long-work',
    'work outlives the lease: two writers, oversells',
    { strategy: 'read-write', ...longWork },
    outlives,
  ),
  scenario('multi', 'carts in opposite order: exact on both balances', {
    strategy: 'multi',
    ...crossedCarts,
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'multi-long-work',
    'carts, work outlives the leases: oversells',
    { strategy: 'multi', ...crossedCarts, ...longWork },
    outlives,
  ),
  scenario(
    'multi-unsorted',
    'carts in opposite order: deadlock, requests give up at their wait timeout',
    {
      strategy: 'multi-unsorted',
      ...crossedCarts,
      stock: 10,
      requests: 10,
      connections: 10,
      options: { leaseMs: 10_000, waitMs: 1000 },
      fault: restOnFirstLock(1000),
    },
    'each cart is delayed 1 s after its first lock',
  ),
  scenario(
    'multi-unsorted-outwaits',
    'deadlock until the leases end, then both continue: oversells both',
    {
      strategy: 'multi-unsorted',
      ...crossedCarts,
      stock: 1,
      requests: 2,
      connections: 2,
      options: { leaseMs: 2000, waitMs: 20_000, workMs: 1000 },
      fault: restOnFirstLock(1000),
    },
    'each cart is delayed 1 s after its first lock; work 1 s',
  ),
  scenario(
    'segmented-naive',
    'sells from one segment or not at all: undersold',
    { strategy: 'segmented-naive', ...bySegments, certain: ['undersold'] },
    'two units per order, 25 in each of four segments: one is left in each',
  ),
  scenario(
    'segmented',
    'tries other segments, and combines the last units: exact',
    { strategy: 'segmented', ...bySegments },
    'two units per order, 25 in each of four segments',
  ),
  scenario(
    'segmented-long-work',
    'work outlives the lease: two holders in a segment, oversells',
    { strategy: 'segmented', ...longWork },
    outlives,
  ),
  scenario('segmented-redis', 'counters in several keys, as segmented: exact', {
    strategy: 'segmented-redis',
    ...bySegments,
  }),
  scenario(
    'segmented-redis-killed',
    'killed between the counter and the row: undersold',
    { strategy: 'segmented-redis', ...killedAtRow },
    'the first buyer is alone: it takes one unit from a counter and is killed',
  ),
  scenario(
    'segmented-redis-reconciled',
    'killed between the counter and the row, then reconciled: exact',
    { strategy: 'segmented-redis', ...killedAtRow, reconcile: true },
    'the first buyer takes one unit and is killed; the load starts after the counters are reconciled',
  ),
  scenario('fair', 'each release hands the lock to the next waiter: exact', {
    strategy: 'fair',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'fair-killed',
    'holder killed: after its lease the next waiter buys',
    {
      strategy: 'fair',
      ...afterFault,
      options: { leaseMs: 500, waitMs: 20_000 },
      fault: first('after(acquire-fair)=kill'),
    },
    alone,
  ),
  scenario('token-lua-notify', 'waiters are notified of the release: exact', {
    strategy: 'token-lua',
    ...rush,
    options: { wait: 'notify', waitMs: 20_000 },
  }),
  scenario('replicated', 'every lock is on both Redis replicas: exact', {
    strategy: 'replicated',
    ...rush,
    options: { waitMs: 20_000 },
  }),
];

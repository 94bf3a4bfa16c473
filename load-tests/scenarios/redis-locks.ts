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
/** The first buyer dies before its UPDATE, with a lock that others wait for. */
const killedAtRow = {
  ...afterFault,
  options: { leaseMs: 1000, waitMs: 20_000 },
  fault: first('before(UPDATE)=kill'),
};

/** Locks of one Redis, and of a directory: rows of `lab demo --all`, in the order of the ladder. */
export const REDIS_LOCKS: readonly Scenario[] = [
  scenario('directory', 'mkdir lets one in, on one host: exact', {
    strategy: 'directory',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'directory-killed',
    'holder killed: its directory stays for ever',
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
    'two see no key: oversells, deletes foreign locks',
    { strategy: 'get-set', ...rush, options: { workMs: 5, waitMs: 20_000 } },
    workTime,
  ),
  scenario(
    'setnx-release-fails',
    'one DEL fails: stuck for ever',
    {
      strategy: 'setnx',
      ...afterFault,
      options: { waitMs: 300 },
      fault: first('before(DEL)=error'),
    },
    'the first buyer is alone, and its DEL is not sent',
  ),
  scenario('setnx-catch', 'one sale, then stuck for ever', {
    strategy: 'setnx-catch',
    ...afterFault,
    options: { waitMs: 300 },
  }),
  scenario(
    'setnx-expire-killed',
    'killed between SETNX and PEXPIRE: stuck for ever',
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
    "losers keep a dead holder's lock alive: nobody buys",
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
    'losers delete the lock of the winner: oversells',
    {
      strategy: 'unlock-unacquired',
      stock: 5,
      requests: 60,
      connections: 20,
      options: { workMs: 300, waitMs: 100 },
    },
    'work 300 ms, and nobody waits longer than 100 ms',
  ),
  scenario('token-by-reference', 'exact, and one sale a lease: nothing is ever released', {
    strategy: 'token-by-reference',
    stock: 5,
    requests: 10,
    connections: 10,
    options: { leaseMs: 300, waitMs: 20_000 },
  }),
  scenario(
    'watchdog-naive-release-fails',
    'its release fails: the renewal goes on for ever',
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
    'work outlives the lease: two holders, and all roll back',
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
    'pause 1050 ms, lease 700 ms: the second holder has read, and waits for the row',
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
  scenario('read-write', 'one writes at a time: exact', {
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
    'work outlives the leases: oversells carts',
    { strategy: 'multi', ...crossedCarts, ...longWork },
    outlives,
  ),
  scenario(
    'multi-unsorted',
    'carts in opposite order: dead-lock, given up when their time is over',
    {
      strategy: 'multi-unsorted',
      ...crossedCarts,
      stock: 10,
      requests: 10,
      connections: 10,
      options: { leaseMs: 10_000, waitMs: 1000 },
      fault: restOnFirstLock(1000),
    },
    'each cart rests 1 s on its first lock',
  ),
  scenario(
    'multi-unsorted-outwaits',
    'dead-lock until the leases end, then both go on: oversells both',
    {
      strategy: 'multi-unsorted',
      ...crossedCarts,
      stock: 1,
      requests: 2,
      connections: 2,
      options: { leaseMs: 2000, waitMs: 20_000, workMs: 1000 },
      fault: restOnFirstLock(1000),
    },
    'each cart rests 1 s on its first lock; work 1 s',
  ),
  scenario(
    'segmented-naive',
    'sells from one segment or not at all: undersold',
    { strategy: 'segmented-naive', ...bySegments, certain: ['undersold'] },
    'two units an order, 25 in each of four segments: one is left in each',
  ),
  scenario(
    'segmented',
    'goes on to other segments, and takes the last units together: exact',
    { strategy: 'segmented', ...bySegments },
    'two units an order, 25 in each of four segments',
  ),
  scenario(
    'segmented-long-work',
    'work outlives the lease: two holders in a segment, oversells',
    { strategy: 'segmented', ...longWork },
    outlives,
  ),
  scenario('segmented-redis', 'counts in several keys, as segmented: exact', {
    strategy: 'segmented-redis',
    ...bySegments,
  }),
  scenario(
    'segmented-redis-killed',
    'killed between the count and the row: undersold',
    { strategy: 'segmented-redis', ...killedAtRow },
    'the first buyer is alone: it takes one unit from a count and dies',
  ),
  scenario(
    'segmented-redis-reconciled',
    'killed between the count and the row, then settled: exact',
    { strategy: 'segmented-redis', ...killedAtRow, reconcile: true },
    'the first buyer takes one unit and dies; the others come when the counts are settled',
  ),
  scenario('fair', 'each release gives the lock to the next in line: exact', {
    strategy: 'fair',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'fair-killed',
    'holder killed: after its lease the next in line buys',
    {
      strategy: 'fair',
      ...afterFault,
      options: { leaseMs: 500, waitMs: 20_000 },
      fault: first('after(acquire-fair)=kill'),
    },
    alone,
  ),
  scenario('token-lua-notify', 'who waits is told of the release: exact', {
    strategy: 'token-lua',
    ...rush,
    options: { wait: 'notify', waitMs: 20_000 },
  }),
  scenario('replicated', 'both replicas know of every lock: exact', {
    strategy: 'replicated',
    ...rush,
    options: { waitMs: 20_000 },
  }),
];

import {
  afterFault,
  crossedCarts,
  longWork,
  restOnFirstLock,
  rush,
  scenario,
  type Scenario,
  workTime,
} from './scenario';

const alone = 'the first buyer is alone: it gets the lock and dies holding it';
const untilSale = "the process stands still until somebody else's sale is committed";
/** Paused at its write until somebody else has sold. */
const paused = { ...afterFault, options: { leaseMs: 500, workMs: 20, waitMs: 20_000 } };

/** 25 units in each of four segments, and orders of two. */
const bySegments = { ...rush, quantity: 2, options: { waitMs: 20_000, workMs: 5 } };
/** The first buyer dies before its UPDATE, with a lock that others wait for. */
const killedAtRow = {
  ...afterFault,
  options: { leaseMs: 1000, waitMs: 20_000 },
  fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' as const } },
};
/** Every try is ten commands, on five servers: fewer buyers, who ask less often. */
const votes = { stock: 50, requests: 150, connections: 20, options: { waitMs: 20_000, retryMs: 40 } };
const voterDown = 'redis-3 is killed before the buyers come';
/** As a long garbage collection: the other votes wait in its sockets. A pause begins too late for that: a helper starts first. */
const pausedInAcquire = {
  stock: 20,
  requests: 40,
  connections: 10,
  options: { leaseMs: 500, workMs: 300, waitMs: 20_000 },
};
const blocked =
  'its event loop stands still for 3 s, the lease is 500 ms; others work for 300 ms each meanwhile';

/** The rest of the catalogue, for `lab demo --all`, in the order of the ladder. Each row comes out the same every time. */
export const MORE: readonly Scenario[] = [
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
      fault: { header: 'after(MKDIR)=kill', on: { kind: 'first' } },
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
      fault: { header: 'before(DEL)=error', on: { kind: 'first' } },
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
      fault: { header: 'after(SETNX)=kill', on: { kind: 'first' } },
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
      fault: { header: 'after(SETNX)=kill', on: { kind: 'first' } },
    },
    alone,
  ),
  scenario(
    'lua-long-work',
    'work outlives the lease: two holders, oversells',
    { strategy: 'lua', ...longWork },
    'work 300 ms, lease 200 ms',
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
      fault: { header: 'before(release-if-owner)=error', on: { kind: 'first' } },
    },
    'the first buyer is alone, and its release is not sent',
  ),
  scenario(
    'watchdog-shared-flag-paused',
    'paused before its write: loses an update',
    {
      strategy: 'watchdog-shared-flag',
      ...paused,
      fault: { header: 'before(UPDATE)=pause(sale)', on: { kind: 'first' } },
    },
    untilSale,
  ),
  scenario(
    'rollback-on-loss-long-work',
    'work outlives the lease: two holders, and all roll back',
    { strategy: 'rollback-on-loss', ...longWork },
    'work 300 ms, lease 200 ms',
  ),
  scenario(
    'rollback-on-loss-paused',
    'paused between its check and its COMMIT: loses an update',
    {
      strategy: 'rollback-on-loss',
      ...afterFault,
      options: { leaseMs: 700, waitMs: 20_000 },
      fault: { header: 'before(COMMIT)=pause(1050)', on: { kind: 'first' } },
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
    'work 300 ms, lease 200 ms',
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
    'work 300 ms, lease 200 ms',
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
    'work 300 ms, lease 200 ms',
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
      fault: { header: 'after(acquire-fair)=kill', on: { kind: 'first' } },
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
  scenario('redlock', 'exact', { strategy: 'redlock', ...votes }),
  scenario(
    'redlock-voter-down',
    'one voter of five is down: exact',
    { strategy: 'redlock', ...votes, down: 'redis-3' },
    voterDown,
  ),
  scenario(
    'redlock-paused',
    'paused before its write: loses an update',
    {
      strategy: 'redlock',
      ...paused,
      fault: { header: 'before(UPDATE)=pause(sale)', on: { kind: 'first' } },
    },
    untilSale,
  ),
  scenario(
    'redlock-paused-in-acquire',
    'stands still with one vote read: too late, so it asks again',
    {
      strategy: 'redlock',
      ...pausedInAcquire,
      fault: { header: 'after(acquire-redlock)=block(3000)', on: { kind: 'first' } },
    },
    blocked,
  ),
  scenario('multi-server', 'exact', { strategy: 'multi-server', ...votes }),
  scenario(
    'multi-server-one-down',
    'one server of five is down: nobody can buy',
    { strategy: 'multi-server', ...afterFault, options: { waitMs: 300 }, down: 'redis-3' },
    voterDown,
  ),
  scenario(
    'redlock-beta-paused',
    'stands still with one vote read: its lock has expired, and it enters',
    {
      strategy: 'redlock-beta',
      ...pausedInAcquire,
      fault: { header: 'after(acquire-redlock-beta)=block(3000)', on: { kind: 'first' } },
    },
    blocked,
  ),
  scenario('redis-decr', 'exact', { strategy: 'redis-decr', ...rush }),
  scenario(
    'redis-decr-killed',
    'killed between the count and the row: undersold',
    {
      strategy: 'redis-decr',
      ...afterFault,
      fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' } },
    },
    'the first buyer is alone: it takes one unit from the count and dies',
  ),
  scenario(
    'redis-decr-reconciled',
    'killed between the count and the row, then reconciled: exact',
    {
      strategy: 'redis-decr',
      ...afterFault,
      fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' } },
      reconcile: true,
    },
    'the first buyer takes one unit and dies; the others come when the unit was given back',
  ),
  scenario('zookeeper', 'exact, in order', { strategy: 'zookeeper', ...rush, options: { waitMs: 20_000 } }),
  scenario(
    'zookeeper-killed',
    'holder killed: its session ends, and others buy',
    {
      strategy: 'zookeeper',
      ...afterFault,
      options: { waitMs: 20_000 },
      fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' } },
    },
    alone,
  ),
  scenario(
    'zookeeper-paused',
    'paused before its write, beyond its session: loses an update',
    {
      strategy: 'zookeeper',
      ...afterFault,
      options: { workMs: 20, waitMs: 20_000 },
      fault: { header: 'before(UPDATE)=pause(sale)', on: { kind: 'first' } },
    },
    untilSale,
  ),
  scenario('zookeeper-herd', 'exact; every release wakes all', {
    strategy: 'zookeeper-herd',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario('etcd', 'exact, in order', { strategy: 'etcd', ...rush, options: { waitMs: 20_000 } }),
  scenario(
    'etcd-killed',
    'holder killed: its lease ends, and others buy',
    {
      strategy: 'etcd',
      ...afterFault,
      options: { leaseMs: 2000, waitMs: 20_000 },
      fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' } },
    },
    alone,
  ),
  scenario(
    'etcd-paused',
    'paused before its write, beyond its lease: loses an update',
    {
      strategy: 'etcd',
      ...paused,
      options: { leaseMs: 2000, workMs: 20, waitMs: 20_000 },
      fault: { header: 'before(UPDATE)=pause(sale)', on: { kind: 'first' } },
    },
    untilSale,
  ),
  scenario(
    'redis-and-table-long-work',
    'the lease ends, the row keeps others out: sells exactly',
    { strategy: 'redis-and-table', ...longWork },
    'work 300 ms, lease 200 ms',
  ),
  scenario(
    'redis-and-table-killed',
    'holder killed: its row stays for ever',
    {
      strategy: 'redis-and-table',
      ...afterFault,
      options: { leaseMs: 500, waitMs: 300 },
      fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' } },
    },
    alone,
  ),
  scenario('mysql-lock-table', 'exact', {
    strategy: 'mysql-lock-table',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'mysql-lock-table-killed',
    'holder killed: its row stays for ever',
    {
      strategy: 'mysql-lock-table',
      ...afterFault,
      options: { waitMs: 300 },
      fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' } },
    },
    alone,
  ),
  scenario(
    'mysql-lock-table-ttl-killed',
    'holder killed: its row expires, and others buy',
    {
      strategy: 'mysql-lock-table-ttl',
      ...afterFault,
      options: { leaseMs: 3000, waitMs: 20_000 },
      fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' } },
    },
    alone,
  ),
  scenario(
    'mysql-lock-table-ttl-long-work',
    'work outlives the lease: two holders, oversells',
    { strategy: 'mysql-lock-table-ttl', ...longWork },
    'work 300 ms, lease 200 ms',
  ),
  scenario('mysql-named-lock', 'exact', {
    strategy: 'mysql-named-lock',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'mysql-named-lock-killed',
    'holder killed: its connection dies, and others buy',
    {
      strategy: 'mysql-named-lock',
      ...afterFault,
      options: { waitMs: 20_000 },
      fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' } },
    },
    alone,
  ),
  scenario(
    'for-update-late',
    'computed before the row is locked: oversells',
    { strategy: 'for-update-late', ...rush, options: { workMs: 5 } },
    workTime,
  ),
  scenario('for-update-plain-read', 'reads its snapshot under the row lock: oversells', {
    strategy: 'for-update-plain-read',
    ...rush,
  }),
  scenario('for-update-carts', 'carts in opposite order, rows in sorted order: exact on both', {
    strategy: 'for-update',
    ...crossedCarts,
    ...rush,
  }),
  scenario('optimistic', 'exact; conflicts go back to buyers', { strategy: 'optimistic', ...rush }),
  scenario('conditional-update-carts', 'carts in opposite order, one transaction: exact on both', {
    strategy: 'conditional-update',
    ...crossedCarts,
    ...rush,
  }),
  scenario(
    'fenced-write-long-work',
    'checked on the write only: oversells',
    { strategy: 'fenced-write', ...longWork },
    'work 300 ms, lease 200 ms',
  ),
  scenario(
    'fenced-long-work',
    'two holders, and the row refuses the older one',
    { strategy: 'fenced', ...longWork },
    'work 300 ms, lease 200 ms',
  ),
  scenario(
    'fenced-paused',
    'paused before its write: refused',
    {
      strategy: 'fenced',
      ...paused,
      fault: { header: 'before(UPDATE#2)=pause(sale)', on: { kind: 'first' } },
    },
    untilSale,
  ),
  scenario('unlock-before-commit', 'the lock is free before the COMMIT: oversells', {
    strategy: 'unlock-before-commit',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario('single-writer', 'one of the buyers makes all changes in their order: exact', {
    strategy: 'single-writer',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'single-writer-killed',
    'the writer is killed: another one takes over, and carries out the dead one’s order too',
    {
      strategy: 'single-writer',
      ...afterFault,
      options: { leaseMs: 3000, waitMs: 20_000 },
      fault: { header: 'before(UPDATE)=kill', on: { kind: 'first' } },
    },
    'the first buyer is alone: it is the writer, and dies in its transaction',
  ),
  scenario(
    'single-writer-long-work',
    'the lease ends: several believe to be the writer, and each order is decided on once',
    { strategy: 'single-writer', ...longWork },
    'work 300 ms, lease 200 ms',
  ),
  scenario('snapshot-before-lock', 'reads its snapshot under the lock: oversells', {
    strategy: 'snapshot-before-lock',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'mixed-lock-and-none',
    'two systems, one locks and one does not: oversells',
    {
      strategy: 'token-lua',
      ...rush,
      options: { workMs: 5, waitMs: 20_000 },
      mixedWith: { strategy: 'none', expected: { must: ['oversold', 'lost-update'], may: [] } },
    },
    workTime,
  ),
  scenario(
    'mixed-two-locks',
    'two systems, each with a lock of its own: oversells',
    {
      strategy: 'token-lua',
      ...rush,
      options: { workMs: 5, waitMs: 20_000 },
      mixedWith: { strategy: 'setnx', expected: { must: ['oversold', 'lost-update'], may: [] } },
    },
    workTime,
  ),
  scenario('mixed-in-the-database', 'two systems, both safe by what the database checks: exact', {
    strategy: 'for-update',
    ...rush,
    mixedWith: { strategy: 'conditional-update', expected: { must: [], may: [] } },
  }),
];

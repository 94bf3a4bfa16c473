import {
  afterFault,
  alone,
  crossedCarts,
  first,
  longWork,
  outlives,
  paused,
  rush,
  type Scenario,
  scenario,
  untilSale,
  workTime,
} from './scenario';

/** Protection by the database, and systems that mix two kinds of locking: rows of `lab demo --all`, in catalogue order. */
export const DATABASE: readonly Scenario[] = [
  scenario(
    'redis-and-table-long-work',
    'the lease ends, but the row still excludes others: exact',
    { strategy: 'redis-and-table', ...longWork },
    outlives,
  ),
  scenario(
    'redis-and-table-killed',
    'holder killed: its row stays forever',
    {
      strategy: 'redis-and-table',
      ...afterFault,
      options: { leaseMs: 500, waitMs: 300 },
      fault: first('before(UPDATE)=kill'),
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
    'holder killed: its row stays forever',
    {
      strategy: 'mysql-lock-table',
      ...afterFault,
      options: { waitMs: 300 },
      fault: first('before(UPDATE)=kill'),
    },
    alone,
  ),
  scenario(
    'mysql-lock-table-ttl-killed',
    'holder killed: its row expires, then others buy',
    {
      strategy: 'mysql-lock-table-ttl',
      ...afterFault,
      options: { leaseMs: 3000, waitMs: 20_000 },
      fault: first('before(UPDATE)=kill'),
    },
    alone,
  ),
  scenario(
    'mysql-lock-table-ttl-long-work',
    'work outlives the lease: two holders, oversells',
    { strategy: 'mysql-lock-table-ttl', ...longWork },
    outlives,
  ),
  scenario('mysql-named-lock', 'exact', {
    strategy: 'mysql-named-lock',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'mysql-named-lock-killed',
    'holder killed: its connection closes, then others buy',
    {
      strategy: 'mysql-named-lock',
      ...afterFault,
      options: { waitMs: 20_000 },
      fault: first('before(UPDATE)=kill'),
    },
    alone,
  ),
  scenario(
    'for-update-late',
    'computes the new value before the row is locked: oversells',
    { strategy: 'for-update-late', ...rush, options: { workMs: 5 } },
    workTime,
  ),
  scenario('for-update-plain-read', 'reads an old snapshot under the row lock: oversells', {
    strategy: 'for-update-plain-read',
    ...rush,
  }),
  scenario('for-update-carts', 'carts in opposite order, rows locked in sorted order: exact on both', {
    strategy: 'for-update',
    ...crossedCarts,
    ...rush,
  }),
  scenario('optimistic', 'exact; conflicts are returned to buyers', { strategy: 'optimistic', ...rush }),
  scenario('conditional-update-carts', 'carts in opposite order, one transaction: exact on both', {
    strategy: 'conditional-update',
    ...crossedCarts,
    ...rush,
  }),
  scenario(
    'fenced-write-long-work',
    'token checked on the write only: oversells',
    { strategy: 'fenced-write', ...longWork },
    outlives,
  ),
  scenario(
    'fenced-long-work',
    'two holders, the row refuses the older one',
    { strategy: 'fenced', ...longWork },
    outlives,
  ),
  scenario(
    'fenced-paused',
    'paused before its write: refused',
    {
      strategy: 'fenced',
      ...paused,
      fault: first('before(UPDATE#2)=pause(sale)'),
    },
    untilSale,
  ),
  scenario('unlock-before-commit', 'the lock is free before the COMMIT: oversells', {
    strategy: 'unlock-before-commit',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario('single-writer', 'one request at a time executes the queued changes in order: exact', {
    strategy: 'single-writer',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario(
    'single-writer-killed',
    'writer killed: another one takes over and also executes the order of the killed one',
    {
      strategy: 'single-writer',
      ...afterFault,
      options: { leaseMs: 3000, waitMs: 20_000 },
      fault: first('before(UPDATE)=kill'),
    },
    'the first buyer is alone: it is the writer and is killed in its transaction',
  ),
  scenario(
    'single-writer-long-work',
    'the lease ends: several writers at once, but each order is decided once',
    { strategy: 'single-writer', ...longWork },
    outlives,
  ),
  scenario('snapshot-before-lock', 'reads a snapshot taken before the lock: oversells', {
    strategy: 'snapshot-before-lock',
    ...rush,
    options: { waitMs: 20_000 },
  }),
];

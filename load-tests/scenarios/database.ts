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

/** What the database can do by itself, and systems of which each locks in its own way: rows of `lab demo --all`, in the order of the ladder. */
export const DATABASE: readonly Scenario[] = [
  scenario(
    'redis-and-table-long-work',
    'the lease ends, the row keeps others out: sells exactly',
    { strategy: 'redis-and-table', ...longWork },
    outlives,
  ),
  scenario(
    'redis-and-table-killed',
    'holder killed: its row stays for ever',
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
    'holder killed: its row stays for ever',
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
    'holder killed: its row expires, and others buy',
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
    'holder killed: its connection dies, and others buy',
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
    outlives,
  ),
  scenario(
    'fenced-long-work',
    'two holders, and the row refuses the older one',
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
      fault: first('before(UPDATE)=kill'),
    },
    'the first buyer is alone: it is the writer, and dies in its transaction',
  ),
  scenario(
    'single-writer-long-work',
    'the lease ends: several believe to be the writer, and each order is decided on once',
    { strategy: 'single-writer', ...longWork },
    outlives,
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

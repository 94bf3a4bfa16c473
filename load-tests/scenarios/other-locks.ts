import { afterFault, alone, first, paused, rush, type Scenario, scenario, untilSale } from './scenario';

/** Each try sends ten commands to five servers: fewer buyers and a longer retry interval. */
const votes = { stock: 50, requests: 150, connections: 20, options: { waitMs: 20_000, retryMs: 40 } };
const voterDown = 'redis-3 is killed before the load';
/**
 * Blocks like a long garbage collection, with the other votes unread in its sockets. A `pause` would begin too late, because
 * its helper process must start first.
 */
const pausedInAcquire = {
  stock: 20,
  requests: 40,
  connections: 10,
  options: { leaseMs: 2000, workMs: 300, waitMs: 30_000 }, // a lease that also a slow machine keeps
};
const blocked =
  'its event loop is blocked for 6 s, the lease is 2 s; other holders work 300 ms each meanwhile';

/** Locks on several servers, in ZooKeeper and in etcd, and counters in Redis: rows of `lab demo --all`, in catalogue order. */
export const OTHER_LOCKS: readonly Scenario[] = [
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
      fault: first('before(UPDATE)=pause(sale)'),
    },
    untilSale,
  ),
  scenario(
    'redlock-paused-in-acquire',
    'blocked after its first vote: acquired too late, so it retries',
    {
      strategy: 'redlock',
      ...pausedInAcquire,
      fault: first('after(acquire-redlock)=block(6000)'),
    },
    blocked,
  ),
  scenario('multi-server', 'exact', { strategy: 'multi-server', ...votes }),
  scenario(
    'multi-server-one-down',
    'one server of five is down: no sale',
    { strategy: 'multi-server', ...afterFault, options: { waitMs: 300 }, down: 'redis-3' },
    voterDown,
  ),
  scenario(
    'redlock-beta-paused',
    'blocked after its first vote: its lock has expired, but it enters',
    {
      strategy: 'redlock-beta',
      ...pausedInAcquire,
      fault: first('after(acquire-redlock-beta)=block(6000)'),
    },
    blocked,
  ),
  scenario('redis-decr', 'exact', { strategy: 'redis-decr', ...rush }),
  scenario(
    'redis-decr-killed',
    'killed between the counter and the row: undersold',
    {
      strategy: 'redis-decr',
      ...afterFault,
      fault: first('before(UPDATE)=kill'),
    },
    'the first buyer is alone: it takes one unit from the counter and is killed',
  ),
  scenario(
    'redis-decr-reconciled',
    'killed between the counter and the row, then reconciled: exact',
    {
      strategy: 'redis-decr',
      ...afterFault,
      fault: first('before(UPDATE)=kill'),
      reconcile: true,
    },
    'the first buyer takes one unit and is killed; the load starts after the unit is returned',
  ),
  scenario('zookeeper', 'exact, in order', { strategy: 'zookeeper', ...rush, options: { waitMs: 20_000 } }),
  scenario(
    'zookeeper-killed',
    'holder killed: its session ends, then others buy',
    {
      strategy: 'zookeeper',
      ...afterFault,
      options: { waitMs: 20_000 },
      fault: first('before(UPDATE)=kill'),
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
      fault: first('before(UPDATE)=pause(sale)'),
    },
    untilSale,
  ),
  scenario('zookeeper-herd', 'exact; every release wakes all waiters', {
    strategy: 'zookeeper-herd',
    ...rush,
    options: { waitMs: 20_000 },
  }),
  scenario('etcd', 'exact, in order', { strategy: 'etcd', ...rush, options: { waitMs: 20_000 } }),
  scenario(
    'etcd-killed',
    'holder killed: its lease ends, then others buy',
    {
      strategy: 'etcd',
      ...afterFault,
      options: { leaseMs: 2000, waitMs: 20_000 },
      fault: first('before(UPDATE)=kill'),
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
      fault: first('before(UPDATE)=pause(sale)'),
    },
    untilSale,
  ),
];

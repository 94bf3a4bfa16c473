import { afterFault, alone, first, paused, rush, type Scenario, scenario, untilSale } from './scenario';

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

/** Locks on several servers, in ZooKeeper and etcd, and a stock that Redis counts: rows of `lab demo --all`, in the order of the ladder. */
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
    'stands still with one vote read: too late, so it asks again',
    {
      strategy: 'redlock',
      ...pausedInAcquire,
      fault: first('after(acquire-redlock)=block(3000)'),
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
      fault: first('after(acquire-redlock-beta)=block(3000)'),
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
      fault: first('before(UPDATE)=kill'),
    },
    'the first buyer is alone: it takes one unit from the count and dies',
  ),
  scenario(
    'redis-decr-reconciled',
    'killed between the count and the row, then reconciled: exact',
    {
      strategy: 'redis-decr',
      ...afterFault,
      fault: first('before(UPDATE)=kill'),
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

import type { Strategy } from '../contract';
import { LockNotObtained } from '../shared/errors';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey } from '../shared/with-lock';

export const mysqlNamedLock: Strategy = {
  name: 'mysql-named-lock',
  mechanism: 'GET_LOCK and RELEASE_LOCK around a transaction, all on the same connection.',
  defect:
    'Exact, and freed when the connection ends. A paused holder keeps the lock. Work on another connection of the pool would not be protected, and the lock exists on one server only. Each waiter occupies a connection: enough waiters exhaust the pool of their replica, and block its other requests.',
  source: 'MySQL Reference Manual, "Locking Functions".',
  next: { strategy: 'for-update', why: 'locks the row itself, without a name.' },
  options: ['waitMs', 'workMs'],
  lacks: [],
  expected: {},

  async apply(change, tools) {
    const { clock, options, sqlLocks } = tools;
    const name = lockKey(change.balance, 'mysql-named-lock');
    const begun = clock.now();
    const movement = await sqlLocks.underNamedLock(name, options.waitMs, (session) =>
      session.transaction((tx) => readModifyWrite(change, { ...tools, balances: tx })),
    );
    if (movement === undefined) throw new LockNotObtained(name, 1, clock.now() - begun);
    return movement;
  },
};

import type { Strategy } from '../contract';
import { LockNotObtained } from '../shared/errors';
import { readModifyWrite } from '../shared/read-modify-write';
import { lockKey } from '../shared/with-lock';

export const mysqlNamedLock: Strategy = {
  name: 'mysql-named-lock',
  mechanism: 'GET_LOCK and RELEASE_LOCK around a transaction, all on one and the same connection.',
  defect:
    'Exact, and freed when the connection dies. A holder that stands still keeps it; work on another connection of the pool would not be under it; it lives on one server only. Who waits has a connection: enough waiters use up the pool of their replica, and whatever else it serves stands still.',
  source: 'MySQL Reference Manual, "Locking Functions".',
  next: 'for-update locks the row itself: nothing has to be named.',
  options: ['waitMs', 'workMs'],
  lacks: [],
  expected: {},

  async apply(change, tools) {
    const { balances, clock, options } = tools;
    const name = lockKey(change.balance, 'mysql-named-lock');
    const begun = clock.now();
    const movement = await balances.underNamedLock(name, options.waitMs, (session) =>
      session.transaction((tx) => readModifyWrite(change, { ...tools, balances: tx })),
    );
    if (movement === undefined) throw new LockNotObtained(name, 1, clock.now() - begun);
    return movement;
  },
};

import { LockNotObtained } from '#lab/strategy';
import type { Guard } from '../../contract';
import { append, beginEpoch } from './journal';

export const namedLock: Guard = {
  name: 'leader/named-lock',
  mechanism:
    'GET_LOCK elects the leader, which writes over the connection that holds the lock. The database counts the epochs.',
  defect:
    'Correct: lock and writes share one session, so that a leader without the lock has no connection to write with. A paused leader keeps the lock, and its successor waits.',
  source: 'MySQL Reference Manual, "Locking Functions".',
  next: { why: 'nothing, while the journal is in the same database.' },
  options: ['waitMs', 'workMs'],
  expected: {},

  async apply(entry, tools) {
    const { sqlLocks, options, clock } = tools;
    const name = 'lock:{journal}:named-lock';
    const begun = clock.now();
    const written = await sqlLocks.underNamedLock(name, options.waitMs, async ({ sql }) =>
      append(sql, await beginEpoch(sql), entry, tools),
    );
    if (written === undefined) throw new LockNotObtained(name, 1, clock.now() - begun);
    return written;
  },
};

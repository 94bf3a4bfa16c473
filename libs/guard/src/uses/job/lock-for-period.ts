import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { whenInterrupted, whenLockEnds } from '../../shared/expected';
import { actionKey } from '../../shared/action-lock';
import { runJob } from './runs';

export const lockForPeriod: Guard = {
  name: 'job/lock-for-period',
  mechanism: 'SET NX PX with the length of the period, never deleted.',
  defect:
    'A runner that dies leaves the period without a run: the lock says that it was done. A replica whose clock is late by more than the lease runs the job again.',
  source: 'ShedLock: lockAtLeastFor; Quartz without its database.',
  next: { guard: 'job/marker', why: 'marks the period in the transaction of the run.' },
  options: ['leaseMs', 'workMs'],
  expected: {
    ...whenInterrupted('missing'),
    ...whenLockEnds('duplicate'),
  },

  async apply(period, { redis, sql, options, work }) {
    const key = actionKey('job', 'lock-for-period', period);
    const isOurs = await redis.set(key, period.request, 'PX', options.leaseMs, 'NX');
    if (isOurs === null) return ALREADY_DONE;
    await work();
    await runJob(sql, period);
    return DONE;
  },
};

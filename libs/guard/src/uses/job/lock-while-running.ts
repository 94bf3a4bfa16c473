import { DONE, type Guard } from '../../contract';
import { actionKey, underLock } from '../../shared/action-lock';
import { runJob } from './runs';

export const lockWhileRunning: Guard = {
  name: 'job/lock-while-running',
  mechanism: 'Acquire the lock, run, release.',
  defect:
    'The lock excludes a second run at the same time, not a second run a moment later: clocks of replicas differ.',
  source: 'The articles on scheduled jobs with a distributed lock.',
  next: { guard: 'job/lock-for-period', why: 'keeps the lock until the period has passed.' },
  options: ['leaseMs', 'waitMs', 'wait', 'retryMs', 'workMs'],
  expected: {
    none: { must: ['duplicate'] },
    lapse: { must: ['duplicate', 'overlap'] },
  },

  apply(period, tools) {
    return underLock(actionKey('job', 'lock-while-running', period), tools, async () => {
      await tools.work();
      await runJob(tools.sql, period);
      return DONE;
    });
  },
};

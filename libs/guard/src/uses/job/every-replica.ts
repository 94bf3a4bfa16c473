import { DONE, type Guard } from '../../contract';
import { runJob } from './runs';

export const everyReplica: Guard = {
  name: 'job/every-replica',
  mechanism: 'The timer of each replica runs the job.',
  defect: 'With two replicas the job runs twice in every period.',
  source: 'A cron annotation in an app that is scaled out.',
  next: { guard: 'job/lock-while-running', why: 'excludes a second run at the same time.' },
  options: ['workMs'],
  expected: { none: { must: ['duplicate'] } },

  async apply(period, { sql, work }) {
    await work();
    await runJob(sql, period);
    return DONE;
  },
};

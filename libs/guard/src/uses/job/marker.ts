import { ALREADY_DONE, DONE, type Guard } from '../../contract';
import { inserted } from '../../shared/sql';
import { runJob } from './runs';

export const marker: Guard = {
  name: 'job/marker',
  mechanism: 'A unique row for the period, inserted in the transaction in which the job writes.',
  defect:
    'Correct for what the job writes to this database: a crash takes back the mark with the run. What the job does elsewhere needs an idempotent receiver, as a notification does.',
  source: 'Quartz JDBC job store; db-scheduler: the execution is a row.',
  next: { why: 'nothing: other replicas wait for the transaction, and then leave the period.' },
  options: ['workMs'],
  expected: {},

  apply(period, { sql, work }) {
    return sql.transaction(async (tx) => {
      const mark = tx.query('INSERT INTO job_period (period) VALUES (?)', [period.key]);
      if (!(await inserted(mark))) return ALREADY_DONE;
      await work();
      await runJob(tx, period);
      return DONE;
    });
  },
};

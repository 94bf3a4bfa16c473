import type { Use } from '../../contract';
import { everyReplica } from './every-replica';
import { lockForPeriod } from './lock-for-period';
import { lockWhileRunning } from './lock-while-running';
import { marker } from './marker';

export const job: Use = {
  name: 'job',
  action: 'Run a scheduled job once in its period, on one of the replicas.',
  endpoint: 'POST /jobs/{key}/runs',
  rules: { effect: 'run of period', second: 'duplicate', isPromised: true },
  tables: ['job_run', 'job_period'],
  keyColumn: 'period',
  async effects({ query }) {
    const rows = await query('SELECT period, request FROM job_run ORDER BY id');
    return (rows as { period: string; request: string }[]).map(({ period, request }) => ({
      key: period,
      request,
    }));
  },
  guards: [everyReplica, lockWhileRunning, lockForPeriod, marker],
};

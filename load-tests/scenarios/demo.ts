import {
  afterFault,
  alone,
  first,
  longWork,
  outlives,
  rush,
  type Scenario,
  scenario,
  untilSale,
  untilTaken,
  workTime,
} from './scenario';

/** The demo, in catalogue order. Each row has the same result in every run. */
export const DEMO: readonly Scenario[] = [
  scenario('none', 'oversells', { strategy: 'none', ...rush, options: { workMs: 5 } }, workTime),
  scenario('local-mutex-1', 'one replica: exact', { strategy: 'local-mutex', ...rush, replicas: 1 }),
  scenario(
    'local-mutex-2',
    'two replicas: oversells',
    { strategy: 'local-mutex', ...rush, options: { workMs: 5 } },
    workTime,
  ),
  scenario('setnx', 'exact', { strategy: 'setnx', ...rush, options: { waitMs: 20_000 } }),
  scenario(
    'setnx-killed',
    'holder killed: stuck forever',
    {
      strategy: 'setnx',
      ...afterFault,
      options: { waitMs: 300 },
      fault: first('after(SETNX)=kill'),
    },
    alone,
  ),
  scenario('expiring', 'exact', { strategy: 'expiring', ...rush, options: { waitMs: 20_000 } }),
  scenario(
    'expiring-killed',
    'holder killed: sells again after the lease',
    {
      strategy: 'expiring',
      ...afterFault,
      options: { leaseMs: 3000, waitMs: 10_000 },
      fault: first('after(SET)=kill'),
    },
    alone,
  ),
  scenario(
    'expiring-long-work',
    "work outlives the lease: oversells, deletes other holders' locks",
    { strategy: 'expiring', ...longWork },
    outlives,
  ),
  scenario(
    'token-checked-paused',
    "paused before its DEL: deletes another holder's lock",
    {
      strategy: 'token-checked',
      ...afterFault,
      options: { leaseMs: 500, workMs: 150, waitMs: 20_000 },
      fault: first('before(DEL)=pause(lock-taken)'),
    },
    untilTaken,
  ),
  scenario(
    'token-lua-paused',
    "paused before its release: the new holder's lock stays",
    {
      strategy: 'token-lua',
      ...afterFault,
      options: { leaseMs: 500, workMs: 150, waitMs: 20_000 },
      fault: first('before(release-if-owner)=pause(lock-taken)'),
    },
    untilTaken,
  ),
  scenario(
    'token-lua-long-work',
    'work outlives the lease: two holders, oversells',
    { strategy: 'token-lua', ...longWork },
    outlives,
  ),
  scenario('watchdog-long-work', 'the lease is renewed: exact', {
    strategy: 'watchdog',
    ...longWork,
    requests: 10,
    connections: 10,
  }),
  scenario(
    'watchdog-paused',
    'paused before its write: loses an update',
    {
      strategy: 'watchdog',
      ...afterFault,
      options: { leaseMs: 500, workMs: 20, waitMs: 20_000 },
      fault: first('before(UPDATE)=pause(sale)'),
    },
    untilSale,
  ),
  scenario('for-update', 'exact', { strategy: 'for-update', ...rush }),
  scenario('conditional-update', 'exact', { strategy: 'conditional-update', ...rush }),
];

import { rush, scenario, workTime, type Scenario } from './scenario';

/** Every second order uses the strategy of another system. */
export const MIXED: readonly Scenario[] = [
  scenario(
    'mixed-lock-and-none',
    'two systems, only one of them locks: oversells',
    {
      strategy: 'token-lua',
      ...rush,
      options: { workMs: 5, waitMs: 20_000 },
      mixedWith: { strategy: 'none', expected: { must: ['oversold', 'lost-update'], may: [] } },
    },
    workTime,
  ),
  scenario(
    'mixed-two-locks',
    'two systems, each with its own lock: oversells',
    {
      strategy: 'token-lua',
      ...rush,
      options: { workMs: 5, waitMs: 20_000 },
      mixedWith: { strategy: 'setnx', expected: { must: ['oversold', 'lost-update'], may: [] } },
    },
    workTime,
  ),
  scenario('mixed-in-the-database', 'two systems, both protected by the database: exact', {
    strategy: 'for-update',
    ...rush,
    mixedWith: { strategy: 'conditional-update', expected: { must: [], may: [] } },
  }),
  scenario(
    'mixed-lock-and-database',
    'one system locks, the other lets the database check: each is exact alone; loses updates',
    {
      strategy: 'token-lua',
      ...rush,
      options: { workMs: 5, waitMs: 20_000 },
      mixedWith: { strategy: 'conditional-update', expected: { must: ['oversold', 'lost-update'], may: [] } },
    },
    workTime,
  ),
  scenario(
    'mixed-fenced-and-none',
    'one system has fencing tokens, the other writes without: oversells',
    {
      strategy: 'fenced',
      ...rush,
      options: { workMs: 5, waitMs: 20_000 },
      mixedWith: { strategy: 'none', expected: { must: ['oversold', 'lost-update'], may: [] } },
    },
    workTime,
  ),
];

import type { Budget } from '#lab/explore';
import type { ScheduleViolationKind } from '#lab/verdict';

/** What a learner is asked to do. */
export type Goal = { readonly id: string; readonly strategy: string } & (
  | {
      /** A load run that ends with this verdict. */
      readonly task: 'run';
      readonly preset: string;
      readonly verdict: 'violated' | 'safe';
    }
  | {
      /** A schedule with this violation, with at most so many choices. */
      readonly task: 'show';
      readonly actors: string;
      readonly kind: ScheduleViolationKind;
      readonly choices: number;
    }
  | {
      /** An exploration of every schedule, with these faults, that finds no wrong data and no stuck lock. */
      readonly task: 'prove';
      readonly actors: string;
      readonly faults: Budget;
    }
);

/** From the first oversell to the lock that holds. test/console/goals.long.spec.ts and class-runs.long.spec.ts have a solution of each. */
export const GOALS: readonly Goal[] = [
  { id: 'run-none', strategy: 'none', task: 'run', preset: 'none', verdict: 'violated' },
  {
    id: 'run-conditional-update',
    strategy: 'conditional-update',
    task: 'run',
    preset: 'conditional-update',
    verdict: 'safe',
  },
  { id: 'oversell', strategy: 'none', actors: '12', task: 'show', kind: 'oversold', choices: 10 },
  {
    id: 'oversell-mutex',
    strategy: 'local-mutex',
    actors: '12',
    task: 'show',
    kind: 'oversold',
    choices: 12,
  },
  { id: 'stuck', strategy: 'setnx', actors: '12', task: 'show', kind: 'stuck', choices: 6 },
  {
    id: 'wrong-release',
    strategy: 'expiring',
    actors: '12',
    task: 'show',
    kind: 'foreign-release',
    choices: 9,
  },
  { id: 'expired-holder', strategy: 'token-lua', actors: '12', task: 'show', kind: 'oversold', choices: 15 },
  { id: 'paused-watchdog', strategy: 'watchdog', actors: '12', task: 'show', kind: 'oversold', choices: 15 },
  { id: 'late-fence', strategy: 'fenced-write', actors: '12', task: 'show', kind: 'oversold', choices: 20 },
  { id: 'fenced-holds', strategy: 'fenced', actors: '12', task: 'prove', faults: { lapse: 1 } },
  { id: 'row-lock-holds', strategy: 'for-update', actors: '12', task: 'prove', faults: {} },
  { id: 'condition-holds', strategy: 'conditional-update', actors: '12', task: 'prove', faults: { kill: 1 } },
];

export const findGoal = (id: string): Goal | undefined => GOALS.find((goal) => goal.id === id);

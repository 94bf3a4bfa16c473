import { useSyncExternalStore } from 'react';
import type { BeginBody, ExplorationView, RunView, StepView } from '../api/types';

/** A goal of Step: a violation that the reader must cause. */
interface StepGoal {
  readonly id: GoalId;
  readonly begin: BeginBody;
  readonly kinds: readonly string[];
  readonly atMost: number;
}

/** A goal of Explore: no schedule may have wrong data. */
interface ProofGoal {
  readonly id: GoalId;
  readonly strategy: string;
  readonly actors: string;
  readonly faults: string;
}

/** A goal of Run: a preset that ran to its end. */
interface RunGoal {
  readonly id: GoalId;
  readonly preset: string;
  readonly strategy: string;
  readonly verdict: 'violated' | 'safe';
}

export type GoalId =
  | 'oversell-none'
  | 'oversell-local-mutex'
  | 'stuck-setnx'
  | 'foreign-release-expiring'
  | 'foreign-release-token-checked'
  | 'oversell-token-lua'
  | 'oversell-watchdog'
  | 'prove-for-update'
  | 'prove-conditional-update'
  | 'prove-fenced'
  | 'run-none'
  | 'run-conditional-update';

const two = (strategy: string): BeginBody => ({ strategy, actors: '12', stock: 1, options: {} });

/** In the order in which they are easiest to reach. */
export const STEP_GOALS: readonly StepGoal[] = [
  { id: 'oversell-none', begin: two('none'), kinds: ['oversold'], atMost: 10 },
  { id: 'oversell-local-mutex', begin: two('local-mutex'), kinds: ['oversold'], atMost: 16 },
  { id: 'stuck-setnx', begin: two('setnx'), kinds: ['stuck'], atMost: 8 },
  {
    id: 'foreign-release-expiring',
    begin: two('expiring'),
    kinds: ['foreign-release'],
    atMost: 12,
  },
  {
    id: 'foreign-release-token-checked',
    begin: two('token-checked'),
    kinds: ['foreign-release'],
    atMost: 14,
  },
  { id: 'oversell-token-lua', begin: two('token-lua'), kinds: ['oversold'], atMost: 16 },
  { id: 'oversell-watchdog', begin: two('watchdog'), kinds: ['oversold', 'lost-update'], atMost: 18 },
];

export const PROOF_GOALS: readonly ProofGoal[] = [
  { id: 'prove-for-update', strategy: 'for-update', actors: '12', faults: '' },
  { id: 'prove-conditional-update', strategy: 'conditional-update', actors: '12', faults: 'kill:1' },
  { id: 'prove-fenced', strategy: 'fenced', actors: '12', faults: 'lapse:1' },
];

export const RUN_GOALS: readonly RunGoal[] = [
  { id: 'run-none', preset: 'none', strategy: 'none', verdict: 'violated' },
  {
    id: 'run-conditional-update',
    preset: 'conditional-update',
    strategy: 'conditional-update',
    verdict: 'safe',
  },
];

export const ALL_GOALS: readonly GoalId[] = [...STEP_GOALS, ...PROOF_GOALS, ...RUN_GOALS].map(({ id }) => id);

/** The goals that a schedule has reached. */
export const reachedByStep = (view: StepView): GoalId[] =>
  STEP_GOALS.filter(
    ({ begin, kinds, atMost }) =>
      view.strategy === begin.strategy &&
      view.choices <= atMost &&
      view.violations.some(({ kind }) => kinds.includes(kind)),
  ).map(({ id }) => id);

/** The goals that a finished exploration has reached. */
export const reachedByExploration = ({ job, counts, strategy, faults }: ExplorationView): GoalId[] =>
  job.state === 'done' && counts !== undefined && !counts.isPartial && counts.harms['data-wrong'] === 0
    ? PROOF_GOALS.filter((goal) => goal.strategy === strategy && goal.faults === faults).map(({ id }) => id)
    : [];

/** The goals that a finished run has reached. */
export const reachedByRun = ({ plan, verdict }: RunView): GoalId[] =>
  RUN_GOALS.filter((goal) => goal.strategy === plan.strategy && goal.verdict === verdict?.verdict).map(
    ({ id }) => id,
  );

const STORED = 'goals';
const readers = new Set<() => void>();

const stored = (): string => localStorage.getItem(STORED) ?? '';
const parsed = (text: string): ReadonlySet<string> => new Set(text.split(' ').filter((id) => id !== ''));

function store(ids: Iterable<string>): void {
  localStorage.setItem(STORED, [...ids].join(' '));
  for (const read of readers) read();
}

/** Keeps the goals as reached in this browser. */
export function reach(ids: readonly GoalId[]): void {
  const known = parsed(stored());
  if (ids.some((id) => !known.has(id))) store(new Set([...known, ...ids]));
}

export const forgetGoals = (): void => {
  store([]);
};

const subscribe = (read: () => void): (() => void) => {
  readers.add(read);
  window.addEventListener('storage', read); // another tab
  return () => {
    readers.delete(read);
    window.removeEventListener('storage', read);
  };
};

/** The goals that were reached in this browser. */
export const useReached = (): ReadonlySet<string> => parsed(useSyncExternalStore(subscribe, stored));

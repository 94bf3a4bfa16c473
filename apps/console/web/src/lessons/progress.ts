import { useSyncExternalStore } from 'react';
import { forgetProofs } from '../api/kept-proofs';
import type { RunView } from '../api/types';

/** A preset that a learner watches to its end. The other goals are the server's. */
export const RUN_GOALS = [
  { id: 'run-none', preset: 'none', strategy: 'none', verdict: 'violated' },
  {
    id: 'run-conditional-update',
    preset: 'conditional-update',
    strategy: 'conditional-update',
    verdict: 'safe',
  },
] as const;

/** The goals that a finished run has reached. */
export const reachedByRun = ({ plan, verdict }: RunView): string[] =>
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
export function reach(ids: readonly string[]): void {
  const known = parsed(stored());
  if (ids.some((id) => !known.has(id))) store(new Set([...known, ...ids]));
}

export const forgetGoals = (): void => {
  store([]);
  forgetProofs();
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

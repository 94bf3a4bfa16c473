import { useSyncExternalStore } from 'react';
import { keep, kept, subscribeToKept } from '../api/kept';

const stored = (): string => kept('goals');
const parsed = (text: string): ReadonlySet<string> => new Set(text.split(' ').filter((id) => id !== ''));

/** Keeps the goals as reached by this student in this browser. */
export function reach(ids: readonly string[]): void {
  const known = parsed(stored());
  if (ids.some((id) => !known.has(id))) keep('goals', [...known, ...ids].join(' '));
}

export const forgetGoals = (): void => {
  keep('goals', '');
  keep('proofs', '');
};

/** The goals that this student has reached in this browser. */
export const useReached = (): ReadonlySet<string> => parsed(useSyncExternalStore(subscribeToKept, stored));

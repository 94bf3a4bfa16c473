import { useSyncExternalStore } from 'react';
import { forgetProofs } from '../api/kept-proofs';

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

import { useSyncExternalStore } from 'react';

/** Whether the console answered the last request. */
let isReachable = true;
const readers = new Set<() => void>();

export function setReachable(value: boolean): void {
  if (value === isReachable) return;
  isReachable = value;
  for (const read of readers) read();
}

const subscribe = (read: () => void): (() => void) => {
  readers.add(read);
  return () => readers.delete(read);
};

export const useReachable = (): boolean => useSyncExternalStore(subscribe, () => isReachable);

import { useSyncExternalStore } from 'react';

/** How often the console has refused a request because this browser is no member of the class. */
let refusals = 0;
const readers = new Set<() => void>();

export function refuseMember(): void {
  refusals++;
  for (const read of readers) read();
}

const subscribe = (read: () => void): (() => void) => {
  readers.add(read);
  return () => readers.delete(read);
};

export const useRefusals = (): number => useSyncExternalStore(subscribe, () => refusals);

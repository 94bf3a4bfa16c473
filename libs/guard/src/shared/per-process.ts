import type { LocalProcess } from '#lab/strategy';

/** The memory of a guard in each process: all requests of a process share it, and no other process sees it. */
export function perProcess<T extends object>(make: () => T): (process: LocalProcess) => T {
  const memories = new WeakMap<LocalProcess, T>();
  return (process) => {
    const found = memories.get(process) ?? make();
    memories.set(process, found);
    return found;
  };
}

import type { Strategy } from './contract';

/** The chapters of the catalogue. Each begins with the strategy `from`, and ends where the next one begins. */
const CHAPTERS: readonly { readonly title: string; readonly from: string }[] = [
  { title: 'No lock, or a lock in the wrong place', from: 'none' },
  { title: 'Locks in Redis', from: 'get-set' },
  { title: 'Locks elsewhere', from: 'zookeeper' },
  { title: 'In the database itself', from: 'for-update-late' },
];

export interface Section {
  readonly title: string;
  readonly strategies: readonly Strategy[];
}

/** The strategies by chapter, in the order of the catalogue. Throws when the first strategy of a chapter is missing. */
export function sectionsOf(catalogue: readonly Strategy[]): Section[] {
  const begins = CHAPTERS.map(({ title, from }) => {
    const at = catalogue.findIndex(({ name }) => name === from);
    if (at < 0)
      throw new Error(`the chapter "${title}" begins with "${from}", which is not in the catalogue`);
    return { title, at };
  });
  return begins.map(({ title, at }, i) => ({ title, strategies: catalogue.slice(at, begins[i + 1]?.at) }));
}

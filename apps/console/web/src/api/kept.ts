/** What this browser keeps, for each student: several may use one browser, one after the other. */
type What = 'goals' | 'proofs';

/** The name of the last student that joined a class in this browser. */
const STUDENT = 'student';

let student = '';
const readers = new Set<() => void>();

const keyOf = (what: What): string => (student === '' ? what : `${what} of ${student}`);

function changed(): void {
  for (const read of readers) read();
}

export const kept = (what: What): string => localStorage.getItem(keyOf(what)) ?? '';

export function keep(what: What, text: string): void {
  localStorage.setItem(keyOf(what), text);
  changed();
}

/** From now on, what is kept is that of this member; the empty name: there is no class. */
export function keepFor(name: string): void {
  if (name !== '') localStorage.setItem(STUDENT, name);
  if (name === student) return;
  student = name;
  changed();
}

/** Null: no member has joined a class in this browser. */
export const lastStudent = (): string | null => localStorage.getItem(STUDENT);

export function subscribeToKept(read: () => void): () => void {
  readers.add(read);
  window.addEventListener('storage', read); // another tab
  return () => {
    readers.delete(read);
    window.removeEventListener('storage', read);
  };
}

import { closest, distance } from 'fastest-levenshtein';

/** A name that was meant differs in at most so many letters, and in at most this share of the part after its last `/`. */
const MOST_LETTERS = 3;
const LARGEST_SHARE = 0.4;

/** The sentence about a name that does not exist: with the name that was probably meant; otherwise with all that exist. */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const nearest = closest(name, known);
  const letters = Math.max(...[name, nearest].map((whole) => whole.length - 1 - whole.lastIndexOf('/')));
  const isNear = distance(name, nearest) <= Math.min(MOST_LETTERS, LARGEST_SHARE * letters);
  const help = isNear ? `Did you mean "${nearest}"?` : `Choose one of: ${known.join(', ')}`;
  return `there is no ${kind} "${name}". ${help}`;
}

import type { Tally } from '#lab/explore';

/** The kinds of violation that were found, sorted. */
export const kindsOf = ({ kinds }: Tally): string[] => [...kinds.keys()].sort();

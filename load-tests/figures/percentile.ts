/**
 * Percentile by the nearest rank: the smallest value that at least the share `p` (0 to 1) of all values does not exceed.
 * `ascending` must be sorted. NaN (null in JSON): there is no value.
 */
export const percentile = (ascending: readonly number[], p: number): number =>
  ascending[Math.max(0, Math.ceil(p * ascending.length) - 1)] ?? NaN;

import { SeededRandom } from '#lab/random';

/** How requests arrive: at random, as independent clients do, or at equal intervals. */
export const ARRIVALS = ['poisson', 'constant'] as const;
export type Arrivals = (typeof ARRIVALS)[number];

/** Requests that arrive at a rate, however fast they are answered. */
export interface OpenLoop {
  readonly perSecond: number;
  readonly seconds: number;
  readonly arrivals: Arrivals;
  /** Seed of random arrivals. */
  readonly seed: number;
  /** Requests in flight at most; a request that is due beyond that is sent late. */
  readonly inFlight: number;
}

export const arrivalsOf = ({ perSecond, seconds }: Pick<OpenLoop, 'perSecond' | 'seconds'>): number =>
  Math.round(perSecond * seconds);

/**
 * When each request is due, milliseconds since the start, ascending. The same for the same seed. Random arrivals are those of
 * a Poisson process that has exactly `arrivalsOf` arrivals: given their number, they are independent and uniform.
 */
export function dueTimes(loop: Omit<OpenLoop, 'inFlight'>): readonly number[] {
  const { perSecond, seconds, arrivals, seed } = loop;
  const count = arrivalsOf(loop);
  if (arrivals === 'constant') return Array.from({ length: count }, (_, i) => (1000 * i) / perSecond);
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => 1000 * seconds * random.next()).sort((a, b) => a - b);
}

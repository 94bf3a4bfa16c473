import { groupBy } from '../group-by';

/** What one process had at rest, after a minute of the soak. */
export interface Sample {
  readonly replica: string;
  /** Another pid is another life: nothing that the one before had can be compared with it. */
  readonly pid: number;
  /** Minutes since the soak began. */
  readonly at: number;
  readonly rssMb: number;
  readonly heapMb: number;
  /** Open file descriptors. */
  readonly handles: number;
  /** What keeps its event loop alive. */
  readonly resources: number;
}

export type Measure = 'rssMb' | 'heapMb' | 'handles' | 'resources';

/** How much of each may be added in a minute, from the second minute of a life on. */
export const MOST_PER_MINUTE: Readonly<Record<Measure, number>> = {
  rssMb: 6,
  heapMb: 2,
  handles: 4,
  resources: 4,
};

/** So many samples tell a slope from chance: the first of a life is its warm-up. */
export const FEWEST_SAMPLES = 4;

/** How one life of a replica went. */
export interface LifeSlope {
  readonly replica: string;
  readonly pid: number;
  readonly samples: number;
  /** Added in a minute; null: it did not live long enough. */
  readonly perMinute: Readonly<Record<Measure, number>> | null;
  readonly leaks: readonly Measure[];
}

/** The slope of each life: the median of all pairs of its samples, so that one odd sample decides nothing. */
export function slopesOf(samples: readonly Sample[]): LifeSlope[] {
  return [...groupBy(samples, ({ replica, pid }) => `${replica} ${pid}`).values()].flatMap(
    (life): LifeSlope[] => {
      const [first, ...warm] = life.toSorted((a, b) => a.at - b.at);
      if (first === undefined) return [];
      const { replica, pid } = first;
      if (warm.length < FEWEST_SAMPLES)
        return [{ replica, pid, samples: warm.length, perMinute: null, leaks: [] }];
      const slope = (measure: Measure): number => medianSlope(warm.map((one) => [one.at, one[measure]]));
      const perMinute = {
        rssMb: slope('rssMb'),
        heapMb: slope('heapMb'),
        handles: slope('handles'),
        resources: slope('resources'),
      };
      const leaks = (Object.keys(perMinute) as Measure[]).filter(
        (measure) => perMinute[measure] > MOST_PER_MINUTE[measure],
      );
      return [{ replica, pid, samples: warm.length, perMinute, leaks }];
    },
  );
}

function medianSlope(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes = points
    .flatMap(([x, y], i) => points.slice(i + 1).flatMap(([u, v]) => (u === x ? [] : [(v - y) / (u - x)])))
    .sort((a, b) => a - b);
  const middle = Math.floor(slopes.length / 2);
  const [low = 0, high = 0] =
    slopes.length % 2 === 1 ? [slopes[middle], slopes[middle]] : [slopes[middle - 1], slopes[middle]];
  return Math.round(50 * (low + high)) / 100;
}

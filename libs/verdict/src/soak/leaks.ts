import { groupBy } from '../group-by';

/** Resources of one idle process, sampled after a minute of the soak. */
export interface Sample {
  readonly replica: string;
  /** A restart changes the pid. Samples of different pids are not comparable. */
  readonly pid: number;
  /** Minutes since the soak began. */
  readonly at: number;
  readonly rssMb: number;
  readonly heapMb: number;
  /** Open file descriptors. */
  readonly handles: number;
  /** Active resources that keep its event loop alive. */
  readonly resources: number;
}

export type Measure = 'rssMb' | 'heapMb' | 'handles' | 'resources';

/** The largest growth per minute that is not a leak, after the warm-up. */
export const MOST_PER_MINUTE: Readonly<Record<Measure, number>> = {
  rssMb: 6,
  heapMb: 2,
  handles: 4,
  resources: 4,
};

/** Fewer samples do not separate a slope from noise. The first sample of a process is its warm-up and is not counted. */
export const FEWEST_SAMPLES = 4;

/** The growth of one process of a replica, from start to exit. */
export interface LifeSlope {
  readonly replica: string;
  readonly pid: number;
  readonly samples: number;
  /** Growth per minute; null: the process exited too early. */
  readonly perMinute: Readonly<Record<Measure, number>> | null;
  readonly leaks: readonly Measure[];
}

/** The slopes of each process: the median over all pairs of samples (Theil–Sen), which tolerates outliers. */
export function slopesOf(samples: readonly Sample[]): LifeSlope[] {
  return [...groupBy(samples, ({ replica, pid }) => `${replica} ${pid}`).values()].flatMap(
    (own): LifeSlope[] => {
      const [first, ...warm] = own.toSorted((a, b) => a.at - b.at);
      if (first === undefined) return [];
      const { replica, pid } = first;
      if (warm.length < FEWEST_SAMPLES)
        return [{ replica, pid, samples: warm.length, perMinute: null, leaks: [] }];
      const slope = (measure: Measure): number =>
        medianSlope(warm.map((sample) => [sample.at, sample[measure]]));
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

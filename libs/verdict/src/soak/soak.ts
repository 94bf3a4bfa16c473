import { slopesOf, type LifeSlope, type Sample } from './leaks';
import { sumOf, type MinuteVerdict } from './minute';

/** The verdict on a whole soak. */
export interface SoakVerdict {
  readonly held: boolean;
  /** What did not hold or was not proved, one sentence each. */
  readonly because: readonly string[];
  /** Faults by kind that fired while locks were contended, in the minutes that count. */
  readonly fired: Readonly<Record<string, number>>;
  /** Minutes in which something contended. */
  readonly counted: number;
  readonly slopes: readonly LifeSlope[];
}

/** Judges a soak: every minute held, every kind of fault fired often enough, nothing grows. */
export function judgeSoak(
  minutes: readonly MinuteVerdict[],
  samples: readonly Sample[],
  { kinds, least }: { readonly kinds: readonly string[]; readonly least: number },
): SoakVerdict {
  const counted = minutes.filter(({ counts }) => counts);
  const fired = sumOf(counted.map((minute) => minute.fired));
  const slopes = slopesOf(samples);
  const because = [
    ...minutes.flatMap(({ number, wrong }) => wrong.map((sentence) => `minute ${number}: ${sentence}`)),
    ...(counted.length === 0 ? ['nothing contended in any minute'] : []),
    ...kinds.flatMap((kind) => {
      const times = fired[kind] ?? 0;
      return times < least ? [`${kind} fired ${times} times while locks were contended, not ${least}`] : [];
    }),
    ...slopes.flatMap(({ replica, pid, perMinute, leaks }) =>
      leaks.map(
        (measure) => `${replica} (pid ${pid}) grows: ${perMinute?.[measure] ?? 0} ${measure} a minute`,
      ),
    ),
  ];
  return { held: because.length === 0, because, fired, counted: counted.length, slopes };
}

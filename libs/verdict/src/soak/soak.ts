import { count } from '#lab/step';
import { slopesOf, type LifeSlope, type Sample } from './leaks';
import { sumOf, type MinuteVerdict } from './minute';

/** The verdict on a whole soak. */
export interface SoakVerdict {
  readonly held: boolean;
  /** Failed and unproved requirements, one sentence each. */
  readonly because: readonly string[];
  /** Faults by kind that fired while locks were contended, in the minutes that count. */
  readonly fired: Readonly<Record<string, number>>;
  /** The number of minutes with contention. */
  readonly counted: number;
  readonly slopes: readonly LifeSlope[];
}

/** A soak passes when no minute failed, each kind of fault fired at least `least` times, and no process leaks. */
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
    ...(counted.length === 0 ? ['no minute had contention'] : []),
    ...kinds.flatMap((kind) => {
      const times = fired[kind] ?? 0;
      return times < least
        ? [`${kind} fired ${count(times, 'time')} under contention (required: ${least})`]
        : [];
    }),
    ...slopes.flatMap(({ replica, pid, perMinute, leaks }) =>
      leaks.map(
        (measure) => `${replica} (pid ${pid}) grows: ${perMinute?.[measure] ?? 0} ${measure} per minute`,
      ),
    ),
  ];
  return { held: because.length === 0, because, fired, counted: counted.length, slopes };
}

import { InvalidArgumentError, Option } from 'commander';

/** Upper limit of the requests of one run: its history is kept on disk and read at once. */
export const MOST_REQUESTS = 200_000;

/** Parses a whole number between two bounds. */
export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

/** An option that is a time in seconds, shown in the help with its unit. */
export const timeOption = (flags: string, description: string, seconds: number): Option =>
  new Option(flags, description).argParser(duration).default(seconds, `${seconds}s`);

/** The milliseconds of a time option, where 0 is no limit. */
export const limitMs = (seconds: number): number => (seconds === 0 ? Infinity : 1000 * seconds);

/** Parses a time, `30s`, `10m` or a number of seconds, into seconds. */
function duration(text: string): number {
  const [, number, unit] = /^(\d{1,5})([sm]?)$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('It must be a time such as 30s or 10m, or 0.');
  return Number(number) * (unit === 'm' ? 60 : 1);
}

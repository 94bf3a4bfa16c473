import { InvalidArgumentError } from 'commander';

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

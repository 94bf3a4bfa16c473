import { z } from 'zod';

/** A text in a query or a header is a number only if it consists of digits: `Number` would also accept ``, `0x5` and `1e3`. */
const digits = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;

/** The schema of a whole number, as a number or as a text of digits. Its error has the range. */
export function wholeNumber(minimum: number, maximum: number) {
  const error = `a whole number from ${minimum} to ${maximum}`;
  return z
    .preprocess(digits, z.int(error).min(minimum, error).max(maximum, error))
    .meta({ type: 'integer', minimum, maximum }); // `preprocess` has no input type
}

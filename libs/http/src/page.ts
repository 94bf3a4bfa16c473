import { z } from 'zod';

/** Converts a query value only if it is all digits: not `+1`, ` 1` or `1e3`. */
const digits = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
const numberOfQuery = (minimum: number, maximum: number, standard: number) =>
  z
    .preprocess(digits, z.int().min(minimum).max(maximum))
    .meta({ type: 'integer', minimum, maximum }) // `preprocess` has no input type
    .default(standard);

/** The query parameters of a list that is read in pages. */
export const page = {
  after: numberOfQuery(0, Number.MAX_SAFE_INTEGER, 0).describe('number of the last row of the previous page'),
  limit: numberOfQuery(1, 10_000, 1000).describe('maximum number of rows'),
};

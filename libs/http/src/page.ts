import { wholeNumber } from '#lab/step';

/** The query parameters of a list that is read in pages. */
export const page = {
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('number of the last row of the previous page'),
  limit: wholeNumber(1, 10_000).default(1000).describe('maximum number of rows'),
};

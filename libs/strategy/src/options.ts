import { z } from 'zod';

/** The text of a query is a number only if it is all digits: neither `` nor `0x5` nor `1e3`. */
const digits = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;

const wholeNumber = (least: number, most: number, standard: number) =>
  z.preprocess(digits, z.int().min(least).max(most)).default(standard);

const milliseconds = (least: number, most: number, standard: number, meaning: string) =>
  wholeNumber(least, most, standard).describe(`${meaning}, milliseconds`);

/** The options of a request; the unit is in the name. What a strategy does not use is echoed as `ignored`. */
export const optionsSchema = z.object({
  leaseMs: milliseconds(10, 60_000, 5000, 'how long the lock is granted'),
  waitMs: milliseconds(0, 30_000, 2000, 'how long to wait for the lock, 0 = try once'),
  wait: z
    .enum(['poll', 'notify'])
    .default('poll')
    .describe('how to wait: try again and again, or until the release is told'),
  retryMs: milliseconds(1, 1000, 10, 'pause between two tries, jittered'),
  workMs: milliseconds(0, 10_000, 0, 'simulated business time inside the critical section'),
  attempts: wholeNumber(1, 100, 5).describe('how often an optimistic write is tried'),
});

export type Options = z.infer<typeof optionsSchema>;
export type OptionName = keyof Options;
export const OPTION_NAMES = Object.keys(optionsSchema.shape) as OptionName[];
export const DEFAULT_OPTIONS: Options = optionsSchema.parse({});

/** Strategy and options as the query of a request. */
export const choiceQuery = (strategy: string, options: Options): string =>
  new URLSearchParams({
    strategy,
    ...Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)])),
  }).toString();

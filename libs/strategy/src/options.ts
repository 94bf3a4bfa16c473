import { wholeNumber } from '#lab/step';
import { z } from 'zod';

const milliseconds = (least: number, most: number, standard: number, meaning: string) =>
  wholeNumber(least, most).default(standard).describe(`${meaning}, milliseconds`);

/** The options of a request; the unit is in the name. Options that the strategy does not use are echoed as `ignored`. */
export const optionsSchema = z.object({
  leaseMs: milliseconds(10, 60_000, 5000, 'lease of the lock'),
  waitMs: milliseconds(0, 30_000, 2000, 'how long to wait for the lock, 0 = one try'),
  wait: z
    .enum(['poll', 'notify'])
    .default('poll')
    .describe('how to wait: poll, or until the release notifies the waiter'),
  retryMs: milliseconds(1, 1000, 10, 'delay between two tries, jittered'),
  workMs: milliseconds(0, 10_000, 0, 'simulated business time inside the critical section'),
  attempts: wholeNumber(1, 100).default(5).describe('maximum number of tries of an optimistic write'),
  isolation: z
    .enum(['repeatable-read', 'read-committed'])
    .default('repeatable-read')
    .describe('isolation level of the transaction'),
});

export type Options = z.infer<typeof optionsSchema>;
export type OptionName = keyof Options;
export const OPTION_NAMES = Object.keys(optionsSchema.shape) as OptionName[];
export const DEFAULT_OPTIONS: Options = optionsSchema.parse({});

/** Strategy and options as the query of a request. An option with its default is left out: the reader adds it. */
export function choiceQuery(strategy: string, options: Options): string {
  const query = new URLSearchParams({ strategy });
  for (const name of OPTION_NAMES)
    if (options[name] !== DEFAULT_OPTIONS[name]) query.set(name, String(options[name]));
  return query.toString();
}

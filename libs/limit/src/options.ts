import { wholeNumber } from '#lab/step';
import { z } from 'zod';
import type { Limit, Limiter } from './contract';

/** What to do when Redis does not answer: refuse with 503, or admit without a limit. */
export const ON_ERROR = ['closed', 'open'] as const;
export type OnError = (typeof ON_ERROR)[number];

/** The options of a limit, besides the name of its limiter. */
export const limitSchema = z.object({
  max: wholeNumber(1, 1_000_000).default(100).describe('requests of one client per window'),
  windowMs: wholeNumber(10, 3_600_000).default(60_000).describe('the window, milliseconds'),
  burst: wholeNumber(0, 1_000_000)
    .optional()
    .describe(
      'token-bucket: tokens of a full bucket (default: max); leaky-bucket: places of its queue (default: 0)',
    ),
  onError: z
    .enum(ON_ERROR)
    .default('closed')
    .describe('when Redis does not answer: closed refuses with 503, open admits without a limit'),
});
export const LIMIT_OPTION_NAMES = Object.keys(limitSchema.shape) as (keyof typeof limitSchema.shape)[];

/** The burst is smaller than the limiter can work with. */
export class BurstTooSmall extends Error {
  readonly code = 'REQUEST.INVALID';

  constructor(limiter: string, least: number) {
    super(`burst is at least ${least} for ${limiter}: with less, no request would be admitted`);
    this.name = 'BurstTooSmall';
  }
}

/** The limit of a request, with the burst of its limiter where none is chosen. Throws `BurstTooSmall`. */
export function limitOf(
  { name, burst: own }: Limiter,
  { max, windowMs, burst }: Omit<Limit, 'burst'> & { readonly burst?: number | undefined },
): Limit {
  if (own === undefined) return { max, windowMs, burst: 0 };
  if (burst !== undefined && burst < own.least) throw new BurstTooSmall(name, own.least);
  return { max, windowMs, burst: burst ?? own.standard(max) };
}

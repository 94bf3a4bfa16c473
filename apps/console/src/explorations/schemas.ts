import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { job } from '../jobs/job';
import { strategyName } from '../strategy-name';
import { actors, options, scheduleEvent, violation } from '../steps/schemas';

export class ExplorationBody extends createZodDto(
  z.strictObject({
    strategy: strategyName,
    actors,
    stock: z.int().min(0).max(9).default(1),
    options,
    faults: z.string().max(200).default('').describe('name:times, separated by commas: lapse:1,kill:1'),
    seconds: z.int().min(1).max(600).default(60).describe('the search stops after this time'),
  }),
) {}

/** The counts of an exploration, also while it runs. */
export const counts = z.object({
  schedules: z.int(),
  violating: z.int(),
  perSecond: z.number().optional().describe('schedules per second of the search'),
  harms: z.object({ 'data-wrong': z.int(), unavailable: z.int(), 'lock-broken': z.int() }),
  kinds: z.record(z.string(), z.int()).describe('schedules by kind of violation'),
  fired: z.record(z.string(), z.int()).describe('schedules in which each fault fired'),
  interleavings: z
    .object({ all: z.number(), 'data-wrong': z.number(), unavailable: z.number() })
    .optional()
    .describe(
      'all interleavings, and those with a harm; absent with faults where they are too many to count',
    ),
  protections: z.record(z.string(), z.int()).describe('schedules by what made a buyer wait or refused it'),
  inChinese: z.record(z.string(), z.string()).describe('the words of the protections in Chinese'),
  searched: z.number().describe('estimated share of all schedules, 0 to 1'),
  mark: z.enum(['safe', 'data-wrong', 'unavailable', 'lock-broken', 'unknown']),
  because: z
    .object({ text: z.string(), inChinese: z.string() })
    .optional()
    .describe('why the mark is unknown'),
  isPartial: z.boolean().describe('not every schedule was run'),
});

export const witness = z.object({
  kind: z.string(),
  token: z.string(),
  actors: z.array(z.object({ name: z.string(), process: z.string() })).readonly(),
  events: z.array(scheduleEvent).readonly(),
  violations: z.array(violation).readonly(),
  mechanism: z.object({ text: z.string(), inChinese: z.string() }).optional().describe('how it happens'),
  passes: z.string().optional().describe('the next strategy whose data stays right in the same schedule'),
  mermaid: z.string().describe('a Mermaid sequence diagram'),
});

export class ExplorationView extends createZodDto(
  z.object({
    job,
    strategy: z.string(),
    actors: z.string(),
    stock: z.int(),
    faults: z.string(),
    counts: counts.optional(),
    witness: witness.optional().describe('the shortest schedule of the worst kind'),
  }),
) {}

/** The event of an exploration, besides its job. */
export type ExplorationEvent =
  { readonly counts: z.infer<typeof counts> } | { readonly witness: z.infer<typeof witness> };

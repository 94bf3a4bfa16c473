import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export class GoalView extends createZodDto(
  z.object({
    id: z.string(),
    task: z.enum(['show', 'prove']),
    strategy: z.string(),
    actors: z.string(),
    kind: z.string().optional().describe('show: the kind of violation'),
    choices: z.int().optional().describe('show: with at most so many choices'),
    faults: z.string().optional().describe('prove: in every schedule with these faults'),
  }),
) {}

export class GoalParams extends createZodDto(z.strictObject({ goal: z.string().regex(/^[a-z-]{1,40}$/) })) {}

export class ProofBody extends createZodDto(
  z.strictObject({
    token: z.string().min(1).max(4000).optional().describe('show: the schedule'),
    exploration: z.string().max(40).optional().describe('prove: the id of the exploration'),
  }),
) {}

/** Why a proof does not reach its goal. */
export const NOT_REACHED = [
  'no-proof',
  'other-setup',
  'no-violation',
  'too-many-choices',
  'not-complete',
  'not-safe',
] as const;

export class GoalResult extends createZodDto(
  z.object({ reached: z.boolean(), because: z.enum(NOT_REACHED).optional() }),
) {}

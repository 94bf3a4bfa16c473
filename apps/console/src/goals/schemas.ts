import { RUN_FOLDER } from '#load-tests/results';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export class GoalView extends createZodDto(
  z.object({
    id: z.string(),
    task: z.enum(['run', 'show', 'prove']),
    strategy: z.string(),
    actors: z.string().optional().describe('show and prove: the process of each buyer'),
    preset: z.string().optional().describe('run: the predefined run that reaches it'),
    verdict: z.enum(['violated', 'safe']).optional().describe('run: the verdict with which it ends'),
    kind: z.string().optional().describe('show: the kind of violation'),
    choices: z.int().optional().describe('show: with at most so many choices'),
    faults: z.string().optional().describe('prove: in every schedule with these faults'),
  }),
) {}

export class GoalParams extends createZodDto(z.strictObject({ goal: z.string().min(1).max(40) })) {}

export class ProofBody extends createZodDto(
  z.strictObject({
    run: z.string().regex(RUN_FOLDER).optional().describe('run: the folder of the run'),
    token: z.string().min(1).max(4000).optional().describe('show: the schedule'),
    exploration: z.string().max(40).optional().describe('prove: the id of the exploration'),
  }),
) {}

/** Why a proof does not reach its goal. */
export const NOT_REACHED = [
  'no-proof',
  'other-setup',
  'no-violation',
  'other-verdict',
  'too-many-choices',
  'not-complete',
  'not-safe',
] as const;

export class GoalResult extends createZodDto(
  z.object({ reached: z.boolean(), because: z.enum(NOT_REACHED).optional() }),
) {}

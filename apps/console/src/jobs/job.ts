import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;

const CANCELLATIONS = ['request', 'teacher', 'student-removed', 'console-stopped'] as const;

/** Work of some seconds or minutes that uses the servers alone. */
export const job = z.object({
  id: z.string(),
  kind: z.enum(['run', 'exploration']),
  state: z.enum(JOB_STATES),
  /** Jobs before this one, while it is queued. */
  ahead: z.number().int(),
  progress: z
    .object({ text: z.string(), done: z.number(), of: z.number().optional() })
    .describe('what the job does now, and how much of it is done'),
  error: z.string().optional().describe('why it failed'),
  errorCode: z.string().optional().describe('the code of the error, for a page in another language'),
  cancelledBecause: z
    .enum(CANCELLATIONS)
    .optional()
    .describe('request: its owner has cancelled it; teacher: the teacher has cancelled the job of a student'),
  elapsedMs: z.number().describe('since it began to run; 0 while it is queued'),
});

export type Job = z.infer<typeof job>;
export type Cancellation = (typeof CANCELLATIONS)[number];

export class JobParams extends createZodDto(z.strictObject({ id: z.string().regex(/^[0-9a-f]{12}$/) })) {}

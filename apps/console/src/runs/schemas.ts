import { RUN_FOLDER } from '#load-tests/results';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { job } from '../jobs/job';
import { strategyName } from '../strategy-name';

export class PresetParams extends createZodDto(z.strictObject({ preset: z.string().min(1).max(80) })) {}

export class FolderParams extends createZodDto(
  z.strictObject({ folder: z.string().regex(RUN_FOLDER, 'no run folder has such a name') }),
) {}

export class RunBody extends createZodDto(
  z.strictObject({
    strategy: strategyName,
    stock: z.int().min(0).max(100_000).default(100),
    requests: z.int().min(1).max(20_000).default(300),
    connections: z.int().min(1).max(200).default(50),
    replicas: z.int().min(1).max(4).default(2),
    options: z
      .strictObject({
        leaseMs: z.int().min(10).max(60_000).optional(),
        waitMs: z.int().min(0).max(30_000).optional(),
        wait: z.enum(['poll', 'notify']).optional(),
        retryMs: z.int().min(1).max(1000).optional(),
        workMs: z.int().min(0).max(10_000).optional(),
        attempts: z.int().min(1).max(100).optional(),
        isolation: z.enum(['repeatable-read', 'read-committed']).optional(),
      })
      .default({}),
    fault: z.string().max(200).optional().describe('x-fault: after(SETNX)=kill'),
    faultOn: z
      .string()
      .regex(/^(first|nth=\d{1,6}|every=\d{1,6})$/)
      .default('first'),
  }),
) {}

/** What was seen up to a moment of a run. */
export const sample = z.object({
  atMs: z.number().describe('since the first request'),
  stock: z.int().describe('the amount in the row; of all products'),
  sold: z.int().describe('units of all committed movements'),
  answers: z.record(z.string(), z.int()).describe('answers by code'),
  replicas: z.record(z.string(), z.int()).describe('answers by replica'),
  inFlight: z.int(),
});

export const runVerdict = z.object({
  verdict: z.enum(['violated', 'safe', 'unknown']),
  mark: z.string(),
  headline: z.string().describe('the verdict in one line'),
  asExpected: z.boolean().describe('the catalogue documents this result'),
  because: z.array(z.string()).readonly(),
  initial: z.int(),
  final: z.int(),
  sold: z.int(),
  oversold: z.int(),
  lostUpdates: z.int(),
  violations: z.array(z.string()).readonly(),
  mechanism: z.string().optional().describe('how it happened, in one sentence'),
  unexpected: z
    .string()
    .optional()
    .describe('how many answers neither the strategy nor a fault explains, by status and code'),
  requests: z.array(z.string()).readonly().describe('the requests that collided'),
  inChinese: z
    .object({
      headline: z.string(),
      because: z.array(z.string()).readonly(),
      mechanism: z.string().optional(),
      unexpected: z.string().optional(),
    })
    .optional()
    .describe('the same sentences in Chinese; absent for drills, and for runs of an older version'),
});

const runView = z.object({
  job,
  title: z.string(),
  by: z.string().describe('the name of its owner; empty without a class'),
  at: z.string().describe('when it was queued, ISO 8601'),
  plan: z.object({
    strategy: z.string(),
    stock: z.int().describe('initial units, of all products'),
    requests: z.int(),
    connections: z.int(),
    replicas: z.int(),
    options: z.record(z.string(), z.union([z.number(), z.string()])),
    fault: z.string().optional(),
  }),
  samples: z.array(sample).readonly(),
  verdict: runVerdict.optional(),
  folder: z.string().optional().describe('below runs/, with report.html and verdict.json'),
});

export class RunView extends createZodDto(runView) {}

/** The lanes of a run that has not ended, as its report draws them. */
export class LanesView extends createZodDto(
  z.object({
    style: z.string().describe('for a shadow root'),
    lanes: z.string().optional().describe('an HTML section; every text is escaped'),
  }),
) {}

/** A run that was made before, also by the command line. */
const pastRun = z.object({
  folder: z.string(),
  name: z.string(),
  at: z.string().describe('ISO 8601'),
  verdict: runVerdict.optional().describe('absent: its verdict.json cannot be read'),
});

export class PastRun extends createZodDto(pastRun) {}

export class RunList extends createZodDto(z.object({ current: z.array(runView), past: z.array(pastRun) })) {}

export class Preset extends createZodDto(
  z.object({
    name: z.string(),
    shows: z.string(),
    inChinese: z.string().optional().describe('what it shows, in Chinese'),
    strategy: z.string(),
    group: z.enum(['demo', 'more']),
    needs: z.array(z.string()).readonly().describe('servers that the lab was started without'),
    isForTeacher: z.boolean().describe('has a fault, which only the teacher of a class may run'),
  }),
) {}

/** The event of a run, besides its job. */
export type RunEvent =
  | { readonly sample: z.infer<typeof sample> }
  | { readonly verdict: z.infer<typeof runVerdict>; readonly folder: string };

import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export class StrategyView extends createZodDto(
  z.object({
    name: z.string(),
    mechanism: z.string(),
    defect: z.string(),
    source: z.string().describe('the article, paper or documentation that it comes from'),
    next: z.object({ strategy: z.string().optional(), why: z.string() }),
    inChinese: z
      .object({ mechanism: z.string(), defect: z.string(), why: z.string().describe('of the next one') })
      .optional()
      .describe('the same sentences in Chinese'),
    options: z.array(z.string()).readonly(),
    needs: z.array(z.string()).readonly().describe('servers on demand'),
    keeps: z.array(z.string()).readonly().describe('capabilities'),
    lacks: z.array(z.string()).readonly().describe('capabilities'),
    files: z
      .array(z.string())
      .readonly()
      .describe('its sources, its own file first, below libs/strategy/src'),
    presets: z.array(z.string()).readonly(),
  }),
) {}

export class Vocabulary extends createZodDto(
  z.object({
    capabilities: z.record(z.string(), z.string()).describe('each capability in a sentence'),
    faults: z.record(z.string(), z.string()).describe('what happens when a schedule injects it'),
  }),
) {}

const cell = z.object({
  cell: z.string(),
  mark: z.enum(['safe', 'data-wrong', 'unavailable', 'lock-broken', 'unknown', 'none']),
  schedules: z.int(),
  violating: z
    .int()
    .describe('schedules that show the worst harm of the cell: the mark, unless that is unknown'),
  isPartial: z.boolean(),
  token: z.string().optional(),
  sentence: z.string().optional(),
  inChinese: z.string().optional().describe('the sentence in Chinese'),
  passes: z.string().optional().describe('a strategy that is safe here'),
});

export class MatrixView extends createZodDto(
  z.object({
    conditions: z.record(z.string(), z.unknown()),
    cells: z.array(z.string()).readonly().describe('the columns'),
    summary: z
      .object({ strategies: z.array(z.string()).readonly(), cells: z.array(z.string()).readonly() })
      .describe('what is shown first'),
    rows: z
      .array(z.object({ strategy: z.string(), isStale: z.boolean(), cells: z.array(cell).readonly() }))
      .readonly(),
  }),
) {}

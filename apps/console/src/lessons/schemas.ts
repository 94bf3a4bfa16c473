import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

const summary = z.object({
  id: z.string(),
  number: z.int(),
  title: z.string(),
  minutes: z.int().describe('reading and running its commands'),
  strategies: z.array(z.string()),
  goals: z.array(z.string()).describe('ids of goals'),
});

export class LessonSummary extends createZodDto(summary) {}

export class LessonView extends createZodDto(
  summary.extend({ html: z.string().describe('the page, with links to the pages of the console') }),
) {}

export class LessonParams extends createZodDto(z.strictObject({ lesson: z.string().min(1).max(60) })) {}

export class SlideParams extends createZodDto(
  z.strictObject({
    lesson: z.string().min(1).max(60),
    slide: z
      .string()
      .regex(/^[1-9]$/)
      .transform(Number),
  }),
) {}

import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { LONGEST_NAME } from './classroom';

export class JoinBody extends createZodDto(
  z.strictObject({
    code: z.string().max(40),
    name: z
      .string()
      .trim()
      .max(LONGEST_NAME, `a name has at most ${LONGEST_NAME} characters: enter a shorter one`),
  }),
) {}

export class ClassroomView extends createZodDto(
  z.object({
    isOpen: z.boolean().describe('several browsers use this console, each under its name'),
    member: z.object({ name: z.string(), isTeacher: z.boolean() }).optional().describe('absent: not joined'),
    code: z.string().optional().describe('for the teacher: what students enter'),
    urls: z
      .array(z.string())
      .readonly()
      .optional()
      .describe('for the teacher: the addresses that students may open; the most likely one first'),
  }),
) {}

export class MemberParams extends createZodDto(z.strictObject({ id: z.string().regex(/^[0-9a-f]{12}$/) })) {}

export class BoardView extends createZodDto(
  z.object({
    rows: z
      .array(z.object({ id: z.string(), name: z.string(), goals: z.array(z.string()).readonly() }))
      .readonly(),
  }),
) {}

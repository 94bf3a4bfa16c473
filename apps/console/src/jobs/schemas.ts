import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { job } from './job';

export class JobList extends createZodDto(
  z.object({
    jobs: z
      .array(z.object({ job, title: z.string(), by: z.string().describe('a name; empty without a class') }))
      .readonly()
      .describe('the one that runs, and those that wait, in the order in which they will run'),
  }),
) {}

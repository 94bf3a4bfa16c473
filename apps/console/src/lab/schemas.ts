import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export class LabView extends createZodDto(
  z.object({
    isRunning: z.boolean(),
    shop: z.string().optional().describe('its public address'),
    replicas: z
      .array(z.object({ name: z.string(), app: z.string(), state: z.string(), starts: z.int() }))
      .readonly(),
    components: z.array(z.string()).readonly(),
  }),
) {}

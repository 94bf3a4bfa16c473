import { page, quantity, sku } from '#lab/http';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

const buyer = z
  .string()
  .regex(/^[\w .@-]{1,64}$/, 'a buyer has 1 to 64 letters, digits, spaces, ".", "_", "@" or "-"')
  .describe('who buys');

export class OrderBody extends createZodDto(z.strictObject({ sku, quantity, buyer })) {}
export class OrdersQuery extends createZodDto(z.strictObject({ sku: sku.optional(), ...page })) {}

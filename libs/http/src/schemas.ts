import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

/** The shapes that both apps accept. */
export const sku = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'a SKU has 1 to 64 letters, digits, ".", "_" or "-"')
  .describe('stock keeping unit: which product');
export const quantity = z.int().min(1).max(1000).describe('units');
export const page = {
  after: z.coerce.number().int().min(0).default(0).describe('number of the last row of the page before'),
  limit: z.coerce.number().int().min(1).max(10_000).default(1000).describe('rows at most'),
};

export class SkuParams extends createZodDto(z.strictObject({ sku })) {}
export class ReconcileBody extends createZodDto(z.strictObject({ sku })) {}
export class ResetBody extends createZodDto(
  z.strictObject({ sku, stock: z.int().min(0).max(1_000_000).describe('units') }),
) {}

import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

/** Shapes of requests that both apps of the shop read. */
export const sku = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'a SKU has 1 to 64 letters, digits, ".", "_" or "-"')
  .describe('stock keeping unit: id of the product');
export const quantity = z.int().min(1).max(1000).describe('units');
const MOST_LINES = 20;
/** The lines of a cart: each product at most once. */
export const lines = z
  .array(z.strictObject({ sku, quantity }))
  .min(1, 'a cart has at least one line')
  .max(MOST_LINES, `a cart has at most ${MOST_LINES} lines`)
  .superRefine((cart, context) => {
    cart.forEach((line, i) => {
      if (cart.findIndex((other) => other.sku === line.sku) < i)
        context.addIssue({
          code: 'custom',
          path: [i, 'sku'],
          message: `"${line.sku}" is in this cart more than once: list each product once, with the total quantity`,
        });
    });
  })
  .describe('several products, all or nothing');

export class SkuParams extends createZodDto(z.strictObject({ sku })) {}
export class ReconcileBody extends createZodDto(z.strictObject({ sku })) {}
export class ResetBody extends createZodDto(
  z.strictObject({ sku, stock: z.int().min(0).max(1_000_000).describe('units') }),
) {}

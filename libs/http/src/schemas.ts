import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

/** Schemas that several apps share. */
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
/** Converts a query value only if it is all digits: not `+1`, ` 1` or `1e3`. */
const digits = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
const numberOfQuery = (minimum: number, maximum: number, standard: number) =>
  z
    .preprocess(digits, z.int().min(minimum).max(maximum))
    .meta({ type: 'integer', minimum, maximum }) // `preprocess` has no input type
    .default(standard);

export const page = {
  after: numberOfQuery(0, Number.MAX_SAFE_INTEGER, 0).describe('number of the last row of the previous page'),
  limit: numberOfQuery(1, 10_000, 1000).describe('maximum number of rows'),
};

export class SkuParams extends createZodDto(z.strictObject({ sku })) {}
export class ReconcileBody extends createZodDto(z.strictObject({ sku })) {}
export class ResetBody extends createZodDto(
  z.strictObject({ sku, stock: z.int().min(0).max(1_000_000).describe('units') }),
) {}

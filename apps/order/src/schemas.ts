import { page } from '#lab/http';
import { lines, quantity, sku } from '#lab/shop';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

const buyer = z
  .string()
  .regex(
    /^[\p{L}\p{M}\p{N} .@_'-]{1,64}$/u,
    "a buyer has 1 to 64 letters, digits, spaces, or any of . @ _ ' -",
  )
  .describe('name of the buyer');

export class OrderBody extends createZodDto(z.strictObject({ sku, quantity, buyer })) {}
export class CartBody extends createZodDto(z.strictObject({ lines, buyer })) {}
/** The body of POST /orders: one product, or a cart. */
export const orderOrCart = z.union([OrderBody.schema, CartBody.schema]);
export type OrderOrCart = z.infer<typeof orderOrCart>;
export class OrderReconcileBody extends createZodDto(
  z.strictObject({
    silentMs: z
      .int()
      .min(0)
      .max(86_400_000)
      .default(0)
      .describe('minimum time without a heartbeat for the order, milliseconds'),
  }),
) {}
export class OrdersQuery extends createZodDto(z.strictObject({ sku: sku.optional(), ...page })) {}

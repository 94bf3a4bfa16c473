import { page, problem, ProblemError } from '#lab/http';
import { lines, quantity } from '#lab/shop';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export const DEDUCTION_ID = /^[\w-]{1,60}$/;
const deductionId = z
  .string()
  .regex(DEDUCTION_ID, 'a deduction id has 1 to 60 letters, digits, "_" or "-"')
  .describe('id of a deduction');
const optionalDeductionId = deductionId.optional();

export class DeductionBody extends createZodDto(z.strictObject({ quantity })) {}
export class CartDeductionBody extends createZodDto(z.strictObject({ lines })) {}
export class PageQuery extends createZodDto(z.strictObject(page)) {}
export class CancellationParams extends createZodDto(z.strictObject({ id: deductionId })) {}

/** Reads the `X-Deduction-Id` header; undefined: there is none. Throws 400 for an invalid one. */
export function readDeductionId(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const parsed = optionalDeductionId.safeParse(headers['x-deduction-id']);
  if (parsed.success) return parsed.data;
  throw new ProblemError(problem('REQUEST.INVALID', z.prettifyError(parsed.error).replaceAll('\n', ' ')));
}

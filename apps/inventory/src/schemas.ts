import { lines, page, quantity } from '#lab/http';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export class DeductionBody extends createZodDto(z.strictObject({ quantity })) {}
export class CartDeductionBody extends createZodDto(z.strictObject({ lines })) {}
export class PageQuery extends createZodDto(z.strictObject(page)) {}

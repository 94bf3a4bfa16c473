import { page, quantity } from '#lab/http';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

export class DeductionBody extends createZodDto(z.strictObject({ quantity })) {}
export class PageQuery extends createZodDto(z.strictObject(page)) {}

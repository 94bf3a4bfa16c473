import { LANGUAGES } from '#lab/verdict';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

/** `?lang=zh`: the language of what is requested. */
export class LanguageQuery extends createZodDto(z.strictObject({ lang: z.enum(LANGUAGES).default('en') })) {}

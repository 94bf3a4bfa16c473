import type { Language } from '#lab/verdict';
import { chinese } from './chinese';
import { english, type ReportTexts } from './english';

export type { ReportTexts };

/** The texts of a report in each language. */
export const TEXTS: Readonly<Record<Language, ReportTexts>> = { en: english, zh: chinese };

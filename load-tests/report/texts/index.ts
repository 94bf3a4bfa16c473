import { chinese } from './chinese';
import { english, type ReportTexts } from './english';

export type { ReportTexts };
export type ReportLanguage = 'en' | 'zh';

/** The texts of a report in each language. */
export const TEXTS: Readonly<Record<ReportLanguage, ReportTexts>> = { en: english, zh: chinese };

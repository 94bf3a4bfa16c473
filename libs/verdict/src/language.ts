/** The languages of results, slides and reports, and of the lessons, the interview pack and the exercises. */
export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

import type { Language } from '#lab/verdict';

/** The sections of every lesson, in their order. */
export const SECTIONS = ['see', 'predict', 'run', 'why', 'fix', 'open', 'production', 'questions'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** The heading of each section. */
export const HEADINGS: Readonly<Record<Language, Readonly<Record<SectionName, string>>>> = {
  en: {
    see: 'What you will see',
    predict: 'Predict first',
    run: 'Run it',
    why: 'Why it happened',
    fix: 'The fix',
    open: 'What the fix leaves open',
    production: 'In production',
    questions: 'Three questions',
  },
  zh: {
    see: '你会看到什么',
    predict: '先猜一猜',
    run: '动手跑一遍',
    why: '为什么会这样',
    fix: '怎么修',
    open: '还剩什么问题',
    production: '生产环境里',
    questions: '三道思考题',
  },
};

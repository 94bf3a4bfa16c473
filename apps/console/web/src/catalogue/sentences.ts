import type { Language, StrategyView } from '../api/types';

/** The sentences of a strategy in the language of the page; in English where there are no others. */
export const sentencesOf = (
  {
    mechanism,
    defect,
    next: { why },
    inChinese,
  }: Pick<StrategyView, 'mechanism' | 'defect' | 'next' | 'inChinese'>,
  language: Language,
): { readonly mechanism: string; readonly defect: string; readonly why: string } =>
  (language === 'zh' ? inChinese : undefined) ?? { mechanism, defect, why };

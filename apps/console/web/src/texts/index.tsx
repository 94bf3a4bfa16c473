import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { Language } from '../api/types';
import { en, type Texts } from './en';
import { zh } from './zh';

export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' };
export type { Texts } from './en';

const TEXTS: Readonly<Record<Language, Texts>> = { en, zh };
const STORED = 'language';

interface Chosen {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

const Context = createContext<Chosen>({ language: 'en', choose: () => undefined });

const initial = (): Language => {
  const stored = localStorage.getItem(STORED);
  if (stored === 'en' || stored === 'zh') return stored;
  return navigator.language.startsWith('zh') ? 'zh' : 'en';
};

export function TextsProvider({ children }: { children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState(initial);
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
    localStorage.setItem(STORED, language);
  }, [language]);
  const chosen = useMemo(() => ({ language, choose: setLanguage }), [language]);
  return <Context value={chosen}>{children}</Context>;
}

export const useLanguage = (): Chosen => useContext(Context);
export const useTexts = (): Texts => TEXTS[useContext(Context).language];

/** The label of a code; the code itself when the page does not know it. */
export const labelOf = (labels: Readonly<Record<string, string>>, code: string): string =>
  labels[code] ?? code;

/** What a violation means, in the language of the page. */
export function explain(
  t: Texts,
  {
    kind,
    at,
    sentence,
  }: { readonly kind: string; readonly at: readonly number[]; readonly sentence: string },
): string {
  return t.explanations[kind]?.(at.join('、')) ?? sentence;
}

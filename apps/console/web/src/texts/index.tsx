import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { Language } from '../api/types';
import { en, type Texts } from './en';
import { zh } from './zh';

export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' };
export type { Texts } from './en';

const TEXTS: Readonly<Record<Language, Texts>> = { en, zh };
const STORED = 'language';
const PARAMETER = 'lang';

interface Chosen {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

const Context = createContext<Chosen>({ language: 'en', choose: () => undefined });

const isLanguage = (text: string | null): text is Language => text === 'en' || text === 'zh';

/** The language that the address names (`?lang=zh`), that was chosen before, or that the browser prefers. */
const initial = (): Language => {
  const named = new URLSearchParams(window.location.search).get(PARAMETER);
  if (isLanguage(named)) return named;
  const stored = localStorage.getItem(STORED);
  if (isLanguage(stored)) return stored;
  return navigator.language.startsWith('zh') ? 'zh' : 'en';
};

/** Removes the language from the address: a reload must not undo a choice. */
function forgetNamed(): void {
  const address = new URL(window.location.href);
  if (!address.searchParams.has(PARAMETER)) return;
  address.searchParams.delete(PARAMETER);
  window.history.replaceState(window.history.state, '', address);
}

export function TextsProvider({ children }: { children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState(initial);
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
    localStorage.setItem(STORED, language);
  }, [language]);
  const chosen = useMemo(
    () => ({
      language,
      choose: (next: Language) => {
        forgetNamed();
        setLanguage(next);
      },
    }),
    [language],
  );
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
    inChinese,
  }: {
    readonly kind: string;
    readonly at: readonly number[];
    readonly sentence: string;
    readonly inChinese?: string;
  },
): string {
  return t.said(sentence, inChinese ?? t.explanations[kind]?.(at.join('、')) ?? sentence);
}

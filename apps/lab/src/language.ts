import { LANGUAGES, type Language } from '#lab/verdict';
import { userLocale } from '#lab/config';
import { Option } from 'commander';

/** `--lang`: absent, the language of the environment counts. */
export const languageOption = (): Option =>
  new Option('--lang <language>', 'language (default: zh in a Chinese locale, otherwise en)').choices(
    LANGUAGES,
  );

/** The language of the option or of the environment. */
export const chosenLanguage = (lang: Language | undefined, locale = userLocale()): Language =>
  lang ?? (locale.toLowerCase().startsWith('zh') ? 'zh' : 'en');

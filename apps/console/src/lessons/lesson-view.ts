import type { Language } from '#lab/verdict';
import { renderHtml, wordsOf, type Lesson } from '#lab/course';
import type { LessonView } from './schemas';

type Page = 'step' | 'explore';

const LABELS: Readonly<Record<Language, Readonly<Record<Page, string>>>> = {
  en: { step: 'Open in Step', explore: 'Open in Explore' },
  zh: { step: '在单步中打开', explore: '在穷举中打开' },
};

type Summary = Omit<LessonView, 'html'>;

export const lessonSummary = ({ id, number, title, minutes, strategies, goals }: Lesson): Summary => ({
  id,
  number,
  title,
  minutes,
  strategies: [...strategies],
  goals: [...goals],
});

export const lessonView = (lesson: Lesson): LessonView => ({
  ...lessonSummary(lesson),
  html: renderHtml(lesson.text, {
    ofCommand: (command) => {
      const page = pageOf(command);
      return page && { href: page.href, label: LABELS[lesson.language][page.name] };
    },
    ofRelative: (href) => {
      const [, id] = /^(?:\.\/)?(\d\d-[a-z0-9-]+)\.md$/.exec(href) ?? [];
      if (id !== undefined) return `/lessons/${id}`;
      const [, slide] = /^img\/.*-(\d+)\.svg$/.exec(href) ?? [];
      return slide === undefined
        ? undefined
        : `/api/lessons/${lesson.id}/slides/${slide}?lang=${lesson.language}`;
    },
  }),
});

/** A use with its guard, a rate limiter, or two systems: the pages show strategies of balances. */
const isNoStrategy = (name: string): boolean => /[/_]/.test(name);

/** The page of the console that shows what a command shows; undefined: none does with these options. */
function pageOf(command: string): { readonly name: Page; readonly href: string } | undefined {
  const [name, first, ...options] = wordsOf(command).slice(2);
  if (first === undefined) return undefined;
  const shown = name === 'replay' ? (first.split('.')[1] ?? '') : first;
  if (isNoStrategy(shown)) return undefined;
  if (name === 'replay' && options.length === 0)
    return { name: 'step', href: `/step/${encodeURIComponent(first)}` };
  if (name !== 'explore') return undefined;
  const at = options.indexOf('--faults');
  const faults = at < 0 ? '' : (options.splice(at, 2)[1] ?? '');
  const isSameProcess = options[0] === '--same-process';
  if (options.length > (isSameProcess ? 1 : 0)) return undefined; // an option that the page does not have
  const search = new URLSearchParams({ strategy: first, actors: isSameProcess ? '11' : '12', faults });
  return { name: 'explore', href: `/explore?${search.toString()}` };
}

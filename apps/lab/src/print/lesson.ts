import type { Language } from '#lab/verdict';
import { lessonOf, readLessons, type Lesson } from '#lab/course';
import { chosenLanguage } from '../language';
import { plain, showText } from './interview';
import { renderTable } from './table';

/** Also one in an item of a list. */
const CODE_BLOCK = /^( *```\w*.*\n[^]*?\n *```)$/m;
const ANSWER = /<details><summary>[^]*?<\/details>/g;

const LIST_TEXTS: Readonly<Record<Language, { readonly head: readonly string[]; readonly next: string }>> = {
  en: {
    head: ['lesson', 'title', 'minutes', 'strategies'],
    next: [
      'npx lab lesson 1           prints a lesson; --answers also its answers',
      'npx lab lesson 1 --check   runs its commands, and compares what they print',
    ].join('\n'),
  },
  zh: {
    head: ['课', '标题', '分钟', '方案'],
    next: [
      'npx lab lesson 1           显示一课；加 --answers 也显示答案',
      'npx lab lesson 1 --check   运行这一课的命令，并核对输出',
    ].join('\n'),
  },
};

/** All lessons as a table, and what to do next. */
export const printLessons = (lessons: readonly Lesson[], language: Language): string =>
  [
    renderTable({
      head: LIST_TEXTS[language].head,
      rows: lessons.map(({ number, title, minutes, strategies }) => [
        number,
        title,
        minutes,
        strategies.join(', '),
      ]),
    }),
    '',
    LIST_TEXTS[language].next,
  ].join('\n');

/** The Markdown of a lesson as plain text: commands after `$`, other code blocks indented, paragraphs as wide as the terminal. */
export const printLesson = ({ text, number }: Lesson, withAnswers: boolean): string =>
  text
    .replace(ANSWER, (answer) =>
      withAnswers ? answer.replace(/<\/?[a-z]+>/g, '').trim() : `(npx lab lesson ${number} --answers)`,
    )
    .split(CODE_BLOCK)
    .map((part, i) => (i % 2 === 0 ? showProse(part) : showCode(part)))
    .join('')
    .trim();

function showCode(block: string): string {
  const [, margin = '', language, code = ''] = /^( *)```(\w*).*\n([^]*)\n *```$/.exec(block) ?? [];
  return language === 'sh' ? `$ ${code}` : code.replaceAll(new RegExp(`^${margin}`, 'gm'), '    ');
}

/** Headings stay as they are. */
const showProse = (markdown: string): string =>
  markdown
    .split('\n\n')
    .map((part) =>
      part.startsWith('#') ? part : part.startsWith('|') ? showTable(part) : showParagraph(part),
    )
    .join('\n\n');

/** A Markdown table, as wide as the terminal. */
function showTable(markdown: string): string {
  const [head = [], , ...rows] = markdown
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => plain(cell.trim())),
    );
  return renderTable({ head, rows });
}

/** A paragraph, or the items of a list. */
const showParagraph = (markdown: string): string =>
  markdown
    .split(/\n(?=- |\d+\. )/)
    .map((item) => showText(item, /^(- |\d+\. )?/.exec(item)?.[0].length))
    .join('\n');

/** Names the lesson that explains a strategy, after a violation; empty: there is none. */
export function lessonLines(strategy: string): string[] {
  const lesson = lessonOf(readLessons(chosenLanguage(undefined)), strategy);
  return lesson === undefined
    ? []
    : ['', `Lesson ${lesson.number} explains it: ${lesson.title}`, `      npx lab lesson ${lesson.number}`];
}

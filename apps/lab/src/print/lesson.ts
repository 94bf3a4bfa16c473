import { lessonOf, readLessons, type Lesson } from '#lab/course';
import { chosenLanguage } from '../language';
import { showText } from './interview';
import { renderTable } from './table';

const CODE_BLOCK = /^(```\w*.*\n[^]*?\n```)$/m;
const ANSWER = /<details><summary>[^]*?<\/details>/g;

export const printLessons = (lessons: readonly Lesson[]): string =>
  [
    renderTable({
      head: ['lesson', 'title', 'minutes', 'strategies'],
      rows: lessons.map(({ number, title, minutes, strategies }) => [
        number,
        title,
        minutes,
        strategies.join(', '),
      ]),
    }),
    '',
    'npx lab lesson 1             prints a lesson; --answers also its answers',
    'npx lab lesson 1 --check     runs its commands, and compares what they print',
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
  const [, language, code = ''] = /^```(\w*).*\n([^]*)\n```$/.exec(block) ?? [];
  return language === 'sh' ? `$ ${code}` : code.replace(/^/gm, '    ');
}

/** Headings and tables stay as they are. */
const showProse = (markdown: string): string =>
  markdown
    .split('\n\n')
    .map((paragraph) => (/^[#|]/.test(paragraph) ? paragraph : showParagraph(paragraph)))
    .join('\n\n');

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

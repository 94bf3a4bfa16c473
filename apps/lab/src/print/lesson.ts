import { lessonOf, readLessons, type Lesson } from '#lab/course';
import { chosenLanguage } from '../language';
import { renderTable } from './table';

const CODE_BLOCK = /^```(\w*).*\n([^]*?)\n```$/gm;
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

/** The Markdown of a lesson as plain text: commands after `$`, other code blocks indented. */
export const printLesson = ({ text, number }: Lesson, withAnswers: boolean): string =>
  text
    .replace(ANSWER, (answer) =>
      withAnswers ? answer.replace(/<\/?[a-z]+>/g, '').trim() : `(npx lab lesson ${number} --answers)`,
    )
    .replace(CODE_BLOCK, (_, language: string, code: string) =>
      language === 'sh' ? `$ ${code}` : code.replace(/^/gm, '    '),
    )
    .trim();

/** Names the lesson that explains a strategy, after a violation; empty: there is none. */
export function lessonLines(strategy: string): string[] {
  const lesson = lessonOf(readLessons(chosenLanguage(undefined)), strategy);
  return lesson === undefined
    ? []
    : ['', `Lesson ${lesson.number} explains it: ${lesson.title}`, `      npx lab lesson ${lesson.number}`];
}

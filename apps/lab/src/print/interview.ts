import type { Language } from '#lab/verdict';
import { LABELS, lineBreak, type Question, type Topic } from '#lab/course';
import { wrapWide } from './wrap-wide';

/**
 * Removes Markdown that a terminal does not show: emphasis, links to pages, of which the path stays, and line breaks inside a
 * paragraph or an item of a list. No space follows a full-width stop.
 */
export const plain = (markdown: string): string =>
  markdown
    .replace(
      /\[([^\]]+)\]\((?:\.\.\/)*([^)\s]+)\)/g,
      (_, text: string, target: string) => `${text} (${target})`,
    )
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(
      /([^\n])\n(?!\n|- ) *(?=(.?))/gu,
      (_, before: string, after: string) => `${before}${lineBreak(before, after)}`,
    )
    .replace(/([，。：；？！]) +/gu, '$1');

/** Stands for a space at which a line must not end. */
const FIXED_SPACE = '\u00a0';

/** A part of a question as lines of a terminal. A command stays on one line, so that it can be copied. */
export const showText = (markdown: string, indent = 0): string =>
  wrapWide(
    plain(markdown).replace(/`[^`]+`/g, (code) => code.replaceAll(' ', FIXED_SPACE)),
    indent,
  ).replaceAll(FIXED_SPACE, ' ');

/** The topics with the numbers and questions of each. */
export const printTopics = (topics: readonly Topic[]): string =>
  topics
    .map(({ name, title, questions }) =>
      [
        `${title} (--topic ${name})`,
        ...questions.map(({ number, question }) =>
          showText(`  ${String(number).padStart(2)}  ${question}`, 6),
        ),
      ].join('\n'),
    )
    .join('\n\n');

/** Printed below the list of all questions. */
export const NEXT_STEPS: Readonly<Record<Language, string>> = {
  en: [
    'npx lab interview 17               prints a question with its full answer',
    'npx lab interview --topic basics   prints the questions of one topic',
    'npx lab interview --quiz           asks you, with spaced repetition',
  ].join('\n'),
  zh: [
    'npx lab interview 17               显示一个问题和完整的回答',
    'npx lab interview --topic basics   显示一个主题的问题',
    'npx lab interview --quiz           逐题提问，按间隔重复安排复习',
  ].join('\n'),
};

/** A question with all its parts. */
export function printQuestion(question: Question, language: Language): string {
  const labels = LABELS[language];
  const part = (label: string, text: string): string => showText(`${label} ${text}`);
  return [
    showText(`${question.number}. ${question.question}`),
    part(labels.short, question.short),
    part(labels.full, question.full),
    [
      labels.followUps,
      ...question.followUps.map((followUp) => showText(`- ${followUp.question} ${followUp.answer}`, 2)),
    ].join('\n'),
    part(labels.trap, question.trap),
    part(labels.evidence, question.evidence),
  ].join('\n\n');
}

import type { Language } from '#lab/verdict';
import { projectRoot } from '#lab/stack';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CourseSyntaxError } from '../lesson/lesson';
import { lineBreak, sectionsOf, titleOf } from '../markdown';
import { LABELS, PARTS, type FollowUp, type PartName, type Question, type Topic } from './question';

const PAGE = /^\d\d-([a-z0-9-]+)\.md$/;

/** All pages of a language, in order. @throws CourseSyntaxError */
export function readTopics(language: Language): Topic[] {
  const folder = join('walkthroughs', 'interview', language);
  const topics = readdirSync(join(projectRoot(), folder))
    .filter((name) => PAGE.test(name))
    .sort()
    .map((name) =>
      readTopic(language, join(folder, name), readFileSync(join(projectRoot(), folder, name), 'utf8')),
    );
  checkNumbers(folder, topics);
  return topics;
}

/** All questions of a language, by their numbers. @throws CourseSyntaxError */
export const readQuestions = (language: Language): Question[] =>
  readTopics(language).flatMap(({ questions }) => questions);

function checkNumbers(folder: string, topics: readonly Topic[]): void {
  const numbers = topics.flatMap(({ questions }) => questions.map(({ number }) => number));
  numbers.forEach((number, i) => {
    if (number !== i + 1)
      throw new CourseSyntaxError(
        folder,
        `question ${i + 1} is missing or out of order: ${number} is in its place`,
      );
  });
}

/**
 * Reads a page of questions from its Markdown.
 * @param page its path, for messages; its name is the topic
 * @throws CourseSyntaxError when a part of a question is missing
 */
export function readTopic(language: Language, page: string, markdown: string): Topic {
  const name = PAGE.exec(page.split(/[/\\]/).at(-1) ?? '')?.[1];
  if (name === undefined) throw new CourseSyntaxError(page, 'its name must be NN-topic.md');
  const title = titleOf(markdown);
  if (title === undefined) throw new CourseSyntaxError(page, 'it has no title (# …)');
  const sections = sectionsOf(markdown);
  if (sections.length === 0) throw new CourseSyntaxError(page, 'it has no question (## 12. …)');
  const questions = sections.map((section) => {
    const [, number, question] = /^(\d+)\.\s+(.+)$/.exec(section.title) ?? [];
    if (number === undefined || question === undefined)
      throw new CourseSyntaxError(page, `"${section.title}" must begin with the number of the question`);
    return {
      number: Number(number),
      topic: name,
      question,
      ...readParts(`${page}, question ${number}`, language, section.text),
    };
  });
  return { name, title, questions };
}

function readParts(
  where: string,
  language: Language,
  text: string,
): Omit<Question, 'number' | 'topic' | 'question'> {
  const labels = LABELS[language];
  const starts = PARTS.map((part) => ({ part, at: startOf(labels[part], text) }));
  for (const { part, at } of starts)
    if (at < 0)
      throw new CourseSyntaxError(where, `there is no paragraph that begins with **${labels[part]}**`);
  const sorted = [...starts].sort((one, other) => one.at - other.at);
  if (sorted.some(({ part }, i) => part !== PARTS[i]))
    throw new CourseSyntaxError(where, `the order of its parts must be ${Object.values(labels).join(' ')}`);
  const textOf = (part: PartName): string => {
    const i = PARTS.indexOf(part);
    const content = text
      .slice(starts[i]?.at, starts[i + 1]?.at)
      .trim()
      .slice(`**${labels[part]}**`.length)
      .trim();
    if (content === '') throw new CourseSyntaxError(where, `nothing follows **${labels[part]}**`);
    return content;
  };
  const evidence = textOf('evidence');
  return {
    short: textOf('short'),
    full: textOf('full'),
    followUps: readFollowUps(where, textOf('followUps')),
    trap: textOf('trap'),
    evidence,
    commands: commandsOf(evidence),
  };
}

/** Where the paragraph with a label begins; -1: nowhere. */
function startOf(label: string, text: string): number {
  const at = `\n\n${text}`.indexOf(`\n\n**${label}**`);
  return at < 0 ? -1 : at;
}

const FOLLOW_UP = /^([*_])(.+?[?？])\1\s+([^]+)$/;

/** A list; each item is an emphasized question and its answer. */
function readFollowUps(where: string, text: string): FollowUp[] {
  const items = `\n${text}`.split(/\n- /).slice(1);
  if (items.length === 0)
    throw new CourseSyntaxError(where, 'its follow-ups must be a list: - *Question?* answer');
  return items.map((item) => {
    const [, , question, answer] = FOLLOW_UP.exec(unwrap(item)) ?? [];
    if (question === undefined || answer === undefined)
      throw new CourseSyntaxError(where, `the follow-up "${item}" must be - *Question?* answer`);
    return { question, answer };
  });
}

const unwrap = (text: string): string =>
  text
    .trim()
    .replace(
      /(\S)\s*\n\s+(?=(.))/gu,
      (_, before: string, after: string) => `${before}${lineBreak(before, after)}`,
    );

/** The texts between backticks that are commands of this project. */
const commandsOf = (evidence: string): string[] =>
  [...evidence.matchAll(/`([^`]+)`/g)]
    .map(([, code = '']) => code.replace(/\s+/g, ' '))
    .filter((code) => code.startsWith('npx lab '));

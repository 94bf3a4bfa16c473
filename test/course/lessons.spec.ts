import { LANGUAGES } from '#lab/verdict';
import { GOALS } from '../../apps/console/src/goals/goals';
import {
  checkLesson,
  compareOutput,
  CourseSyntaxError,
  readLesson,
  readLessons,
  SECTIONS,
  wordsOf,
  type Lesson,
} from '#lab/course';
import { readToken } from '#lab/explore';
import { CATALOGUE } from '#lab/strategy';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from '../docs/command-line';

const english = readLessons('en');
const both = LANGUAGES.flatMap((language) => readLessons(language).map((lesson) => ({ language, lesson })));

test('there are nineteen lessons, in both languages', () => {
  const numbers = Array.from({ length: 19 }, (_, i) => i + 1);
  for (const language of LANGUAGES)
    expect(readLessons(language).map(({ number }) => number)).toEqual(numbers);
});

test('every strategy of the catalogue is explained in exactly one lesson, which names it', () => {
  const explained = english.flatMap(({ strategies }) => strategies);
  expect([...explained].sort()).toEqual(CATALOGUE.map(({ name }) => name).sort());
  for (const { lesson } of both)
    for (const name of lesson.strategies) expect(lesson.text).toContain(`\`${name}\``);
});

test('the goals of lessons are goals of the console', () => {
  const known = GOALS.map(({ id }) => id);
  for (const { goals } of english) expect(known).toEqual(expect.arrayContaining([...goals]));
});

const linksOf = ({ text }: Lesson): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to);
const count = (lesson: Lesson, pattern: RegExp): number => [...lesson.text.matchAll(pattern)].length;

test.each(readLessons('zh'))(
  '$id: both languages have the same commands, outputs, links and answers',
  (zh) => {
    const en = english.find(({ id }) => id === zh.id);
    if (en === undefined) throw new Error(`walkthroughs/en/${zh.id}.md is missing`);
    const shared = (lesson: Lesson) => ({
      minutes: lesson.minutes,
      strategies: lesson.strategies,
      goals: lesson.goals,
      commands: lesson.commands,
      links: linksOf(lesson),
      answers: count(lesson, /<details><summary>/g),
    });
    expect(shared(zh)).toEqual(shared(en));
  },
);

test.each(english)('$id: its commands parse, its tokens are readable, its links exist', (lesson) => {
  expect(lesson.commands.length).toBeGreaterThan(0);
  for (const { command } of lesson.commands) {
    const parsed = commandLine()(wordsOf(command).slice(2));
    if (parsed.command === 'replay' && parsed.options['with'] === undefined)
      expect(() => readToken(parsed.args[0] ?? '')).not.toThrow();
  }
  for (const to of linksOf(lesson).filter((link) => !/^(https?:|#)/.test(link)))
    expect({ to, exists: existsSync(join('walkthroughs/en', to.replace(/#.*/, ''))) }).toEqual({
      to,
      exists: true,
    });
});

test.each(both)(
  '$language $lesson.id: it asks for a prediction and three questions, with hidden answers',
  ({ lesson }) => {
    expect(lesson.sections.predict).toMatch(/<details>/);
    expect([...lesson.sections.questions.matchAll(/^\d\. /gm)]).toHaveLength(3);
    expect([...lesson.sections.questions.matchAll(/<details>/g)]).toHaveLength(3);
    for (const name of SECTIONS) expect(lesson.sections[name]).not.toBe('');
  },
);

describe('the output of a command', () => {
  const printed = 'one\ntwo 17 ms\nthree\nfour';
  test('is compared line by line, with … for what varies', () => {
    expect(compareOutput(['two … ms', 'three'], printed)).toBeUndefined();
    expect(compareOutput(['one', '…', 'four'], printed)).toBeUndefined();
  });
  test('differs when a line is missing, changed or in another place', () => {
    expect(compareOutput(['one', 'three'], printed)).toEqual({ expected: 'three', after: 'one' });
    expect(compareOutput(['two 18 ms'], printed)).toEqual({ expected: 'two 18 ms' });
    expect(compareOutput(['four', '…', 'one'], printed)).toEqual({ expected: 'one', after: 'four' });
  });
});

describe('a page that is not written as documented', () => {
  const page = (head: string, body: string): string => `---\n${head}\n---\n\n${body}`;
  const HEAD = 'minutes: 10\nstrategies: []\ngoals: []';
  test.each([
    ['no front matter', '# 1. A', /must begin with minutes/],
    ['an unknown field', page(`${HEAD}\nlevel: 3`, '# 1. A'), /level/],
    ['no title', page(HEAD, 'text'), /has no title/],
    ['no sections', page(HEAD, '# 1. A'), /its sections are missing/],
  ])('%s', (_, text, message) => {
    expect(() => readLesson('en', '01-a', text)).toThrow(CourseSyntaxError);
    expect(() => readLesson('en', '01-a', text)).toThrow(message);
  });
});

test('a command that prints something else is reported', async () => {
  const lesson = {
    ...english[0],
    commands: [{ command: 'npx lab strategies --nonsense', isQuick: true, exitCode: 0 }],
  };
  const checked = [];
  for await (const one of checkLesson(lesson as Lesson, { quick: true })) checked.push(one);
  expect(checked.map(({ differs }) => differs)).toEqual([
    expect.stringMatching(/^it ended with 2, not with 0/),
  ]);
});

import { LANGUAGES, type Language } from '#lab/verdict';
import { readLessons, wordsOf } from '#lab/course';
import { readToken } from '#lab/explore';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandLine } from '../docs/command-line';
import { codeLines, inlineCode, read } from '../docs/pages';

const INDEX = 'walkthroughs/README.md';
const WORKSHOPS = [
  { name: 'workshop-90-minutes', minutes: 90 },
  { name: 'workshop-half-day', minutes: 210 },
] as const;

const pageOf = (language: Language, name: string): string => `walkthroughs/${language}/${name}.md`;
const PAGES = WORKSHOPS.flatMap(({ name }) => LANGUAGES.map((language) => pageOf(language, name)));

interface Interval {
  readonly from: number;
  readonly to: number;
}

const intervals = (matches: Iterable<RegExpExecArray>): Interval[] =>
  [...matches].map(([, from, to]) => ({ from: Number(from), to: Number(to) }));

/** The minutes of the rows of the plan. */
const planOf = (page: string): Interval[] => intervals(read(page).matchAll(/^\| (\d+)–(\d+) +\|/gm));

/** The minutes in the headings of the notes. */
const notesOf = (page: string): Interval[] => intervals(read(page).matchAll(/^### (\d+)–(\d+)[:：]/gm));

const commandsOf = (page: string): string[] =>
  [...codeLines(read(page)), ...inlineCode(read(page))].filter((code) => /^(npx lab|npm) /.test(code));

const relativeLinks = (page: string): string[] =>
  [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to = '']) => to)
    .filter((to) => !/^(https?:|#)/.test(to));

describe.each(WORKSHOPS)('$name', ({ name, minutes }) => {
  test.each(LANGUAGES)('%s: the blocks of its plan follow each other, from 0 to its end', (language) => {
    const plan = planOf(pageOf(language, name));
    expect(plan.filter(({ from, to }) => from >= to)).toEqual([]);
    expect(plan.map(({ from }) => from)).toEqual([0, ...plan.slice(0, -1).map(({ to }) => to)]);
    expect(plan.at(-1)?.to).toBe(minutes);
  });

  test.each(LANGUAGES)('%s: each note belongs to a block of the plan, in its order', (language) => {
    const page = pageOf(language, name);
    const notes = notesOf(page);
    expect(notes.length).toBeGreaterThan(8);
    const noted = new Set(notes.map(({ from }) => from));
    expect(notes).toEqual(planOf(page).filter(({ from }) => noted.has(from)));
  });

  test('both languages have the same minutes, notes, commands and questions', () => {
    const shared = (page: string) => ({
      plan: planOf(page),
      notes: notesOf(page),
      commands: commandsOf(page),
      points: read(page).match(/^- /gm)?.length,
      answers: read(page).match(/<details>/g)?.length,
    });
    expect(shared(pageOf('zh', name))).toEqual(shared(pageOf('en', name)));
    expect(shared(pageOf('en', name)).answers).toBe(3);
  });
});

test.each([...PAGES, INDEX])('%s: its commands parse, its tokens are readable', (page) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const command of commandsOf(page)) {
    const words = wordsOf(command);
    if (words[0] === 'npm') {
      expect(scripts).toHaveProperty(words[1] === 'run' ? (words[2] ?? '') : (words[1] ?? ''));
      if (words[1] === 'start') commandLine()(['up', ...words.slice(3)]);
      continue;
    }
    const parsed = commandLine()(words.slice(2));
    if (parsed.command === 'replay') expect(() => readToken(parsed.args[0] ?? '')).not.toThrow();
  }
});

test.each([...PAGES, INDEX])('%s: its relative links exist', (page) => {
  const links = relativeLinks(page);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((to) => !existsSync(join(dirname(page), to.replace(/#.*/, ''))))).toEqual([]);
});

test('the index lists every lesson with its titles in both languages and its minutes', () => {
  const rows = read(INDEX)
    .split('\n')
    .filter((line) => /^\| +\d+ \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const listed = (index: number, language: Language): unknown[] => [
    Number(rows[index]?.[1]),
    rows[index]?.[language === 'en' ? 2 : 3],
    Number(rows[index]?.[4]),
  ];
  expect(rows).toHaveLength(19);
  for (const language of LANGUAGES)
    for (const { id, number, title, minutes } of readLessons(language))
      expect(listed(number - 1, language)).toEqual([number, `[${title}](${language}/${id}.md)`, minutes]);
});

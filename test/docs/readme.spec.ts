import { wordsOf } from '#lab/course';
import { existsSync, readdirSync } from 'node:fs';
import { commandLine, type Parsed } from './command-line';
import { PAGES, codeLines, inlineCode, read } from './pages';

/** The commands in the code blocks of a page; in the README also those in its text. */
function commandsOf(page: string, prefix: string): string[] {
  const text = read(page);
  const inline = page === 'README.md' ? inlineCode(text) : [];
  return [...codeLines(text), ...inline].filter((line) => line === prefix || line.startsWith(`${prefix} `));
}

let parse: (words: readonly string[]) => Parsed;
beforeAll(() => {
  parse = commandLine();
});

test.each(PAGES)('%s: every `npx lab` command parses', (page) => {
  const lab = commandsOf(page, 'npx lab').map((line) => wordsOf(line).slice(2));
  const start = commandsOf(page, 'npm start').map((line) => ['up', ...wordsOf(line).slice(3)]);
  const refused = [...lab, ...start].flatMap((words) => {
    try {
      parse(words);
      return [];
    } catch (error) {
      return [`${words.join(' ')}: ${String(error)}`];
    }
  });
  expect(refused).toEqual([]);
});

test.each(PAGES)('%s: every npm script and spec that it runs exists', (page) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const line of commandsOf(page, 'npm run')) expect(scripts).toHaveProperty(wordsOf(line)[2] ?? '');
  const specs = readdirSync('test', { recursive: true, encoding: 'utf8' }).map((file) => `test/${file}`);
  const paths = commandsOf(page, 'npm test').flatMap((line) => wordsOf(line).slice(3));
  expect(paths.filter((path) => !specs.some((spec) => spec.startsWith(path)))).toEqual([]);
});

test('the quick start has a demo, a start and a test', () => {
  for (const command of ['npm run demo', 'npm start', 'npm test'])
    expect(codeLines(read('README.md')).filter((line) => line.startsWith(command))).toHaveLength(1);
  expect(existsSync('docs/img/report.png')).toBe(true);
});

import { CATALOGUE } from '#lab/strategy';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PAGES, inlineCode, read } from './pages';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .trim()
  .split('\n');
const folders = new Set(files.flatMap((file) => dirname(file).split('/')));
const sources = files
  .filter((file) => /^(apps|libs|load-tests|test)\/.*\.(ts|mjs)$/.test(file))
  .map((file) => read(file));

const PATH = /^(apps|libs|load-tests|test|docs|infra)\/[\w./-]+$/;
const FILE = /^[\w./-]*\w\.(ts|mjs|cjs|lua|md|yml)$/;
const FOLDER = /^[\w-]+\/$/;
/** Folders that a run makes. */
const MADE = new Set(['dist/', 'runs/', '.lab/']);
/** Stands for a name in an instruction. */
const isPattern = (cited: string): boolean => /NAME|…/.test(cited);

function isThere(cited: string): boolean {
  if (FOLDER.test(cited)) return MADE.has(cited) || folders.has(cited.slice(0, -1));
  if (PATH.test(cited)) return existsSync(cited);
  return files.some((file) => file === cited || file.endsWith(`/${cited}`));
}

test.each(PAGES)('%s cites files that exist', (page) => {
  const cited = inlineCode(read(page)).filter(
    (code) => (PATH.test(code) || FILE.test(code) || FOLDER.test(code)) && !isPattern(code),
  );
  expect(cited.filter((code) => !isThere(code))).toEqual([]);
});

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

test.each(PAGES)('%s links to files and headings that exist', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^https?:/.test(link));
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(target)) return true;
    if (anchor === undefined) return false;
    const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slug(heading));
    return !headings.includes(anchor);
  });
  expect(broken).toEqual([]);
});

/** `OrderIntent`, `OrdersService.place`, `withLock`, `step()`. */
const NAME = /^(?:[A-Z][a-z]\w*|[a-z]+[A-Z]\w*)(?:\.\w+)?(?:\(\))?$/;

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s cites names that the code has', (page) => {
  const names = new Set(inlineCode(read(page)).filter((code) => NAME.test(code)));
  const unknown = [...names].filter((name) => {
    const words = name.replace('()', '').split('.');
    return !sources.some((source) => words.every((word) => new RegExp(`\\b${word}\\b`).test(source)));
  });
  expect(unknown).toEqual([]);
});

test('the list of anomalies has every spec of the folder', () => {
  const list = read('test/anomalies/README.md');
  const specs = files.filter((file) => /^test\/anomalies\/.*\.spec\.ts$/.test(file));
  expect(specs.filter((spec) => !list.includes(`(${basename(spec)})`))).toEqual([]);
});

test('the README counts the strategies', () => {
  expect(read('README.md')).toContain(`${CATALOGUE.length} strategies`);
});

test('the README is a page of at most 120 lines', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

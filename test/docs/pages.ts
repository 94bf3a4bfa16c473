import { readdirSync, readFileSync } from 'node:fs';

/** Written by hand; the other pages under docs/ are generated. */
const GENERATED: ReadonlySet<string> = new Set([
  'docs/catalogue.md',
  'docs/matrix.md',
  'docs/crash-matrix.md',
  'docs/lost-replies.md',
  'docs/libraries.md',
]);

export const read = (path: string): string => readFileSync(path, 'utf8');

/** The documents that people read first. */
export const PAGES: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
].concat(
  readdirSync('docs')
    .map((name) => `docs/${name}`)
    .filter((page) => page.endsWith('.md') && !GENERATED.has(page)),
);

/** The lines of a page's code blocks. */
export function codeLines(text: string): string[] {
  return [...text.matchAll(/^```\w*\n([^]*?)^```$/gm)].flatMap(([, block = '']) => block.split('\n'));
}

/** The texts of a page between backticks, outside of code blocks. */
export function inlineCode(text: string): string[] {
  const prose = text.replace(/^```\w*\n[^]*?^```$/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

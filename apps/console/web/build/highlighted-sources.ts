import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { createHighlighter, type ThemedToken } from 'shiki';
import type { Plugin } from 'vite';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'libs', 'strategy', 'src');
const PARTS = ['strategies', 'shared', 'lua'];
const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } as const;

/**
 * Emits `sources/FILE.json` for each source file of the strategies: its lines as HTML with a color for each theme. The
 * page loads them when it shows them, and needs no highlighter.
 */
export function highlightedSources(): Plugin {
  return {
    name: 'highlighted-sources',
    async generateBundle() {
      const highlighter = await createHighlighter({
        themes: Object.values(THEMES),
        langs: ['typescript', 'lua'],
      });
      for (const file of PARTS.flatMap(filesIn)) {
        const text = readFileSync(join(FOLDER, file), 'utf8').trimEnd();
        const lang = file.endsWith('.lua') ? 'lua' : 'typescript';
        const { tokens } = highlighter.codeToTokens(text, { lang, themes: THEMES, defaultColor: false });
        const lines = tokens.map((line) => line.map(htmlOf).join(''));
        this.emitFile({ type: 'asset', fileName: `sources/${file}.json`, source: JSON.stringify(lines) });
      }
      highlighter.dispose();
    },
  };
}

const filesIn = (part: string): string[] =>
  readdirSync(join(FOLDER, part), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|lua)$/.test(name) && !name.endsWith('.spec.ts'))
    .map((name) => relative(FOLDER, join(FOLDER, part, name)).replaceAll(sep, '/'));

function htmlOf({ content, htmlStyle }: ThemedToken): string {
  const text = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const style = Object.entries(htmlStyle ?? {})
    .filter(([name]) => name.startsWith('--shiki-'))
    .map(([name, value]) => `${name.replace('--shiki-', '--')}:${value}`)
    .join(';');
  return content.trim() === '' || style === '' ? text : `<span style="${style}">${text}</span>`;
}

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileOf } from './catalogue';
import type { Strategy } from './contract';

/** The list of all Lua scripts: its importers name those that they use. */
const SCRIPTS = 'shared/scripts.ts';

/**
 * The sources to read for a strategy, below libs/strategy/src: its own file, the helpers that it imports, and the Lua scripts
 * that these use. Empty for a strategy without a file of the catalogue. Works on sources and on compiled files.
 */
export function sourcesOf(strategy: Strategy): readonly string[] {
  const own = fileOf(strategy);
  if (own === undefined || strategy.module !== undefined) return [];
  const helpers = importsOf(own).filter((file) => sourceName(file).startsWith('shared/'));
  const files = [own, ...helpers.filter((file) => sourceName(file) !== SCRIPTS)];
  const scripts = files.flatMap(scriptsOf);
  return [...new Set([...files.map(sourceName), ...scripts])];
}

/** The files of this library that a file imports, except for types only. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^import type [^;]*;$/gm, '');
  return [...text.matchAll(/(?:\bfrom |\brequire\()['"](\.[^'"]+)['"]/g)].map(([, path = '']) =>
    join(dirname(file), `${path}${extname(file)}`),
  );
}

/** A script is imported under the name of its file, in camel case. */
function scriptsOf(file: string): string[] {
  if (!importsOf(file).some((other) => sourceName(other) === SCRIPTS)) return [];
  const text = readFileSync(file, 'utf8');
  return readdirSync(join(__dirname, 'lua'))
    .filter((script) => new RegExp(`\\b${camelCase(basename(script, '.lua'))}\\b`).test(text))
    .map((script) => `lua/${script}`);
}

const sourceName = (file: string): string => relative(__dirname, file).replace(/\.js$/, '.ts');

const camelCase = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type * as TypeScript from 'typescript';
import { NotVerifiable } from './read-exports';

/**
 * The text of a module as CommonJS. TypeScript and ES modules are transpiled, without type checks. Throws
 * `NotVerifiable` when they have a syntax error.
 */
export function commonJsOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (isTypeScript(file)) return cached('ts', text, () => transpile('ts', text, file));
  return isESModule(file) ? cached('js', text, () => transpile('js', text, file)) : text;
}

/** What TypeScript reads a text as. */
type Language = 'ts' | 'js';

const isTypeScript = (file: string): boolean => ['.ts', '.cts', '.mts'].includes(extname(file));

/** True for an ES module of JavaScript, by its extension or its package. */
export const isESModule = (file: string): boolean =>
  extname(file) === '.mjs' || (extname(file) === '.js' && typeOf(dirname(file)) === 'module');

/** `type` of the package of a folder. */
function typeOf(folder: string): string {
  const known = types.get(folder);
  if (known !== undefined) return known;
  const manifest = join(folder, 'package.json');
  const found = existsSync(manifest)
    ? ((JSON.parse(readFileSync(manifest, 'utf8')) as { readonly type?: string }).type ?? 'commonjs')
    : folder === dirname(folder)
      ? 'commonjs'
      : typeOf(dirname(folder));
  types.set(folder, found);
  return found;
}

const types = new Map<string, string>();

/** What `import.meta` of an ES module says, in CommonJS. */
const withoutMeta = (text: string): string =>
  text
    .replace(/\bimport\.meta\.url\b/g, "require('node:url').pathToFileURL(__filename).href")
    .replace(/\bimport\.meta\.(dirname|filename)\b/g, '__$1');

function transpile(language: Language, text: string, file: string): string {
  // loaded lazily: the compiler takes a second to load, and compiled code does not need it
  const typescript = createRequire(__filename)('typescript') as typeof TypeScript;
  const { outputText, diagnostics = [] } = typescript.transpileModule(withoutMeta(text), {
    fileName: `module.${language}`, // of .mts and .mjs, TypeScript would make ES modules
    reportDiagnostics: true,
    compilerOptions: {
      target: typescript.ScriptTarget.ES2023,
      allowJs: true,
      module: typescript.ModuleKind.CommonJS,
      esModuleInterop: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  });
  const [mistake] = diagnostics;
  if (mistake === undefined) return outputText;
  const line = 1 + (mistake.file?.getLineAndCharacterOfPosition(mistake.start ?? 0).line ?? 0);
  throw new NotVerifiable(
    `${file}:${line}`,
    typescript.flattenDiagnosticMessageText(mistake.messageText, ' '),
  );
}

/** Cache version: change it when the compiler options change. */
const CACHE_VERSION = '3';

/** Transpiled modules are cached under node_modules/.cache by a hash of what decides them: one takes 50 ms. */
function cached(language: Language, source: string, make: () => string): string {
  const folder = cacheFolder();
  const { version } = createRequire(__filename)('typescript/package.json') as { readonly version: string };
  const key = [CACHE_VERSION, version, language, source].join('\n');
  const name = createHash('sha1').update(key).digest('hex');
  const file = join(folder, `${name}.js`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const made = make();
  try {
    mkdirSync(folder, { recursive: true });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, made);
    renameSync(draft, file); // atomic: another process never reads a partial file
  } catch {
    // the folder is not writable: transpiled again next time
  }
  return made;
}

function cacheFolder(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'node_modules')) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, 'node_modules', '.cache', 'oversell-lab');
}

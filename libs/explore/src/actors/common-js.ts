import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type * as TypeScript from 'typescript';

/** The text of a module as CommonJS. TypeScript is transpiled without type checks. */
export function commonJsOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  return ['.ts', '.cts'].includes(extname(file)) ? cached(text, () => transpile(text, file)) : text;
}

function transpile(text: string, file: string): string {
  // loaded lazily: the compiler takes a second to load, and compiled code does not need it
  const typescript = createRequire(__filename)('typescript') as typeof TypeScript;
  return typescript.transpileModule(text, {
    fileName: file,
    compilerOptions: {
      target: typescript.ScriptTarget.ES2023,
      module: typescript.ModuleKind.CommonJS,
      esModuleInterop: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  }).outputText;
}

/** Cache version: change it when the compiler options change. */
const CACHE_VERSION = '1';

/** Transpiled modules are cached under node_modules/.cache by source hash: one takes 50 ms. */
function cached(source: string, make: () => string): string {
  const folder = cacheFolder();
  const name = createHash('sha1').update(`${CACHE_VERSION}\n${source}`).digest('hex');
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

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type * as TypeScript from 'typescript';

/** The text of a module as CommonJS: a TypeScript source is translated, without a check of its types. */
export function commonJsOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  return ['.ts', '.cts'].includes(extname(file)) ? cached(text, () => translate(text, file)) : text;
}

function translate(text: string, file: string): string {
  // at this point only: the compiler takes a second to load, and built code needs none
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

/** Changes when the same source would be translated to another text. */
const TRANSLATION = '1';

/** Translations are kept under node_modules/.cache by the hash of their source: one takes 50 ms. */
function cached(source: string, make: () => string): string {
  const folder = cacheFolder();
  const name = createHash('sha1').update(`${TRANSLATION}\n${source}`).digest('hex');
  const file = join(folder, `${name}.js`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const made = make();
  try {
    mkdirSync(folder, { recursive: true });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, made);
    renameSync(draft, file); // another process reads all of it or nothing
  } catch {
    // a folder that cannot be written to: it is translated again the next time
  }
  return made;
}

function cacheFolder(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'node_modules')) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, 'node_modules', '.cache', 'oversell-lab');
}

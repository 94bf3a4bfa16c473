import { addStrategy, type Strategy } from '#lab/strategy';
import { createRequire, Module } from 'node:module';
import { resolve } from 'node:path';
import { commonJsOf, isESModule } from './common-js';
import { NotVerifiable, strategyOf } from './read-exports';

type Load = (module: { _compile(text: string, file: string): void }, file: string) => void;

/** Node's loaders of modules that are required, by file extension. Node keeps them for programs that transpile as they load. */
const { _extensions: loaders } = Module as unknown as { readonly _extensions: Record<string, Load> };

/** TypeScript and ES modules can be required from now on, as the explorer loads them. */
function registerLoaders(): void {
  const transpiled: Load = (module, file) => {
    module._compile(commonJsOf(file), file);
  };
  const { '.js': plain = transpiled } = loaders;
  for (const extension of ['.ts', '.cts', '.mts', '.mjs']) loaders[extension] ??= transpiled;
  loaders['.js'] = (module, file) => {
    (isESModule(file) ? transpiled : plain)(module, file);
  };
}

/**
 * Loads users' files into this process, as a replica of an app does, and makes their strategies known by their names. Their
 * timers and clocks are those of Node. Throws `NotVerifiable`, which says what is wrong with a file.
 */
export function addStrategiesOf(files: readonly string[]): void {
  if (files.length > 0) registerLoaders();
  for (const file of files) addStrategy(read(resolve(file)));
}

function read(file: string): Strategy {
  let exported: unknown;
  try {
    exported = createRequire(file)(file);
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new NotVerifiable(file, `it throws when it is loaded: ${why}`, { cause: error });
  }
  return strategyOf(exported, file);
}

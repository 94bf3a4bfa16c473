import { projectRoot } from '#lab/stack';
import { unknownName } from '#lab/step';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { EXIT, Failure } from './failure';

/** What a recipe says about its library: `exports.about` of its file. */
export interface About {
  /** The npm package. */
  readonly package: string;
  /** Which options and functions of the library it uses. */
  readonly options: string;
  /** What holds, what breaks and why. */
  readonly text: string;
  /** Threads of the library that report what breaks here. */
  readonly issues: readonly string[];
}

/** A use of a lock library, as its documentation shows it. */
export interface Recipe {
  readonly name: string;
  /** Path from the folder of the project, as commands name it. */
  readonly path: string;
  readonly about: About;
  readonly version: string;
}

const FOLDER = join(projectRoot(), 'libs', 'libraries');
const RECIPES = join(FOLDER, 'recipes');

/** The recipes with these names, or all. */
export function readRecipes(names: readonly string[]): readonly Recipe[] {
  const known = readdirSync(RECIPES).map((file) => basename(file, '.js'));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Failure(unknownName('recipe', unknown, known), EXIT.usage);
  installFor(RECIPES);
  return (names.length === 0 ? known : names).map(readRecipe);
}

function readRecipe(name: string): Recipe {
  const file = join(RECIPES, `${name}.js`);
  const { about } = createRequire(file)(file) as { readonly about: About };
  const source = readFileSync(file, 'utf8');
  const [, imported = about.package] = /require\('((?:@[^/']+\/)?[^/']+)/.exec(source) ?? [];
  const manifest = join(FOLDER, 'node_modules', imported, 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  return { name, path: relative(projectRoot(), file), about, version: version.replace(/^v/, '') };
}

/** Installs the libraries before the first use of a recipe: the lab itself does not need them. */
export function installFor(path: string): void {
  const isRecipe = resolve(path) === RECIPES || dirname(resolve(path)) === RECIPES;
  if (!isRecipe || existsSync(join(FOLDER, 'node_modules'))) return;
  process.stderr.write('installing the lock libraries into libs/libraries/node_modules\n');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'ignore' });
  if (status !== 0)
    throw new Failure('the lock libraries cannot be installed: run "npm ci" in libs/libraries', EXIT.usage);
}

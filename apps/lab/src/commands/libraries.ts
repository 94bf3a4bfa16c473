import {
  NotExplorable,
  reportCard,
  unexplained,
  verify,
  type Explorer,
  type Verified,
  type VerifyProgress,
} from '#lab/explore';
import { count } from '#lab/step';
import type { Strategy } from '#lab/strategy';
import { writeFileSync } from 'node:fs';
import { writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT } from '../failure';
import { loadOwnStrategy } from '../own-file';
import { printLibraries, renderLibraries, type ExploredLibrary } from '../print/libraries';
import { readRecipes, type Recipe } from '../recipes';
import { limitMs } from './numbers';

interface LibrariesOptions {
  readonly workers: number;
  /** Schedules of each circumstance at most. */
  readonly max: number;
  /** Seconds for each recipe; 0: no limit. */
  readonly budget: number;
  readonly docs?: string;
  readonly json?: string;
}

/** Schedules of a circumstance after which a search ends that has found a breach of each promise that it tests. */
const ENOUGH = 40;

/** Explores every recipe of a lock library in the circumstances of `lab verify`. */
export async function exploreLibraries(
  names: readonly string[],
  { workers, max, budget, docs, json }: LibrariesOptions,
  context: Context,
): Promise<number> {
  const recipes = readRecipes(names).map((recipe) => ({ recipe, ...loadOwnStrategy(recipe.path) }));
  const { pool, conditions, stop } = await openExplorer(
    context,
    workers,
    recipes.map(({ strategy }) => strategy),
  );
  context.onEnd(stop);
  const libraries: ExploredLibrary[] = [];
  for (const { recipe, strategy } of recipes)
    libraries.push(
      await exploreRecipe(
        pool,
        recipe,
        strategy,
        { max, budget },
        {
          signal: context.signal,
          onOpen: (left) => {
            context.progress.update(`${recipe.name}: ${count(left, 'circumstance')} left`);
          },
        },
      ),
    );
  context.progress.clear();
  context.signal.throwIfAborted(); // a part must not replace the page
  const all = {
    libraries,
    conditions: {
      ...conditions,
      schedulesPerCircumstance: max,
      ...(budget > 0 && { secondsPerRecipe: budget }),
    },
  };
  if (docs === undefined) process.stdout.write(`${printLibraries(libraries)}\n`);
  else writeFileSync(docs, `${renderLibraries(all)}\n`);
  if (json !== undefined) writeJson(json, all);
  return libraries.some(({ notExplored }) => notExplored !== undefined) ? EXIT.unknown : EXIT.ok;
}

/** Explores a recipe within these limits. One that cannot be explored has the reason as its result. */
export async function exploreRecipe(
  pool: Explorer,
  recipe: Recipe,
  strategy: Strategy,
  { max, budget }: Pick<LibrariesOptions, 'max' | 'budget'>,
  { signal, onOpen }: { readonly signal: AbortSignal; readonly onOpen?: (open: number) => void },
): Promise<ExploredLibrary> {
  const begun = performance.now();
  const secondsSoFar = (): number => (performance.now() - begun) / 1000;
  let firstWitness: number | undefined;
  const note = ({ open, violating }: VerifyProgress): void => {
    if (violating > 0) firstWitness ??= secondsSoFar();
    onOpen?.(open);
  };
  try {
    const verified = await verify(pool, strategy, limitMs(budget), {
      signal,
      max,
      further: true,
      enough: ENOUGH,
      onProgress: note,
    });
    return librarySummary(recipe, verified, {
      seconds: secondsSoFar(),
      ...(firstWitness !== undefined && { firstWitness }),
    });
  } catch (error) {
    if (!(error instanceof NotExplorable)) throw error;
    return {
      ...recipe,
      seconds: secondsSoFar(),
      promises: [],
      unexplained: [],
      wrongDataWhen: [],
      notExplored: error.message,
    };
  }
}

const librarySummary = (
  recipe: Recipe,
  { cells, probe }: Verified,
  times: Pick<ExploredLibrary, 'seconds' | 'firstWitness'>,
): ExploredLibrary => {
  const promises = reportCard(cells, undefined, probe);
  return {
    ...recipe,
    ...times,
    promises,
    unexplained: unexplained(cells, promises),
    wrongDataWhen: cells
      .filter(({ explored }) => explored?.mark === 'data-wrong')
      .map(({ cell: { name, title }, explored }) => ({
        circumstance: name,
        title,
        token: explored?.token ?? '',
        sentence: explored?.sentence ?? '',
      })),
  };
};

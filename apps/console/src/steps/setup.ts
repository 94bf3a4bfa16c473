import { EXPLORE_OPTIONS, type Setup } from '#lab/explore';
import { findStrategy, type Options } from '#lab/strategy';

/** The setup of a schedule, as a reader chooses it. `actors`: the process of each buyer, such as `12`. */
export interface ChosenSetup {
  readonly strategy: string;
  readonly actors: string;
  readonly stock: number;
  readonly options: { readonly [Name in keyof Options]?: Options[Name] | undefined };
}

/** Throws `UnknownStrategy`. */
export function setupOf({ strategy, actors, stock, options }: ChosenSetup): Setup {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return {
    strategy: findStrategy(strategy),
    options: { ...EXPLORE_OPTIONS, ...given },
    stock,
    processes: processesOf(actors),
  };
}

/** The process of each buyer: `12` is p1 and p2. */
export const processesOf = (actors: string): string[] => Array.from(actors, (digit) => `p${digit}`);

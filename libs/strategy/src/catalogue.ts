import type { Strategy } from './contract';
import { conditionalUpdate } from './strategies/conditional-update';
import { expiring } from './strategies/expiring';
import { forUpdate } from './strategies/for-update';
import { localMutex } from './strategies/local-mutex';
import { none } from './strategies/none';
import { setnx } from './strategies/setnx';
import { tokenChecked } from './strategies/token-checked';
import { tokenLua } from './strategies/token-lua';
import { watchdog } from './strategies/watchdog';

/** Every strategy, in the order of the ladder. Validation, docs, command line and load tests read this one list. */
export const CATALOGUE: readonly Strategy[] = [
  none,
  localMutex,
  setnx,
  expiring,
  tokenChecked,
  tokenLua,
  watchdog,
  forUpdate,
  conditionalUpdate,
];

export const DEFAULT_STRATEGY = conditionalUpdate.name;

export class UnknownStrategy extends Error {
  readonly code = 'STRATEGY.UNKNOWN';

  constructor(name: string, known: readonly string[]) {
    super(`there is no strategy "${name}". Choose one of: ${known.join(', ')}`);
    this.name = 'UnknownStrategy';
  }
}

const byName = index(CATALOGUE);

/** Finds a strategy, or throws `UnknownStrategy` with the list of names. */
export function findStrategy(name: string): Strategy {
  const strategy = byName.get(name);
  if (strategy === undefined) throw new UnknownStrategy(name, [...byName.keys()]);
  return strategy;
}

/** Strategies by name. A name given twice stops the boot. */
export function index(strategies: readonly Strategy[]): ReadonlyMap<string, Strategy> {
  const found = new Map<string, Strategy>();
  for (const strategy of strategies) {
    if (found.has(strategy.name)) {
      throw new Error(
        `two strategies are called "${strategy.name}": rename one of them in libs/strategy/src/strategies`,
      );
    }
    found.set(strategy.name, strategy);
  }
  return found;
}

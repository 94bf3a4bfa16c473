import { unknownName } from '#lab/step';
import { ACCOUNTS } from './accounts';
import { DATABASE } from './database';
import { DEMO } from './demo';
import { IN_LOAD } from './in-load';
import { MIXED } from './mixed';
import { OTHER_LOCKS } from './other-locks';
import { REDIS_LOCKS } from './redis-locks';
import type { Scenario } from './scenario';

export { shownInChinese } from './chinese';
export { DEMO } from './demo';
export type { Scenario } from './scenario';

/** The other rows of `lab demo --all`. */
export const MORE: readonly Scenario[] = [
  ...REDIS_LOCKS,
  ...OTHER_LOCKS,
  ...DATABASE,
  ...MIXED,
  ...IN_LOAD,
  ...ACCOUNTS,
];

export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map(
  [...DEMO, ...MORE].map((one) => [one.name, one]),
);

export class UnknownScenario extends Error {
  readonly code = 'SCENARIO.UNKNOWN';

  constructor(name: string) {
    super(unknownName('scenario', name, [...SCENARIOS.keys()]));
    this.name = 'UnknownScenario';
  }
}

/** Finds a scenario, or throws `UnknownScenario` with the list of names. */
export function findScenario(name: string): Scenario {
  const found = SCENARIOS.get(name);
  if (found === undefined) throw new UnknownScenario(name);
  return found;
}

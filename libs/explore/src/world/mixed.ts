import { findStrategy, type Strategy } from '#lab/strategy';

/** Between the names of two strategies; no strategy has it in its name. */
const SEPARATOR = '__';

/** Two systems that change one balance: every second actor uses the second strategy. */
export interface Mixed extends Strategy {
  readonly systems: readonly [Strategy, Strategy];
}

/** The strategies of the actors, in turn. */
export const systemsOf = (strategy: Strategy): readonly Strategy[] =>
  'systems' in strategy ? (strategy as Mixed).systems : [strategy];

/** Two locks cannot be distinguished from the parts of one lock in several servers. */
export class NotMixable extends Error {
  readonly code = 'STRATEGY.NOT_MIXABLE';

  constructor({ name }: Strategy) {
    super(`${name} has its lock in several servers, and cannot be explored beside another strategy`);
    this.name = 'NotMixable';
  }
}

/**
 * The strategy of two systems, as a strategy whose actors take turns. It promises nothing: the catalogue has no expectation for
 * two systems. Throws `NotMixable`.
 */
export function mixed(first: Strategy, second: Strategy): Mixed {
  const systems = [first, second] as const;
  const inSeveral = systems.find(
    ({ needs = [], parts = 1 }) => parts > 1 || needs.some((need) => need === 'redlock'),
  );
  if (inSeveral !== undefined) throw new NotMixable(inSeveral);
  const prepares = systems.some(({ prepare }) => prepare !== undefined);
  const { keys } = systems.find((one) => one.keys !== undefined) ?? {};
  return {
    ...first,
    name: `${first.name}${SEPARATOR}${second.name}`,
    systems,
    options: [...new Set(systems.flatMap(({ options }) => options))],
    needs: [...new Set(systems.flatMap(({ needs = [] }) => needs))],
    lacks: [],
    expected: {},
    ...(keys !== undefined && { keys }),
    ...(prepares && {
      prepare: async (balance, connections) => {
        for (const one of systems) await one.prepare?.(balance, connections);
      },
    }),
    ...(systems.some(({ sharesState }) => sharesState === true) && { sharesState: true as const }),
  };
}

/** The name for people. */
export const titleOf = (strategy: Strategy): string =>
  systemsOf(strategy)
    .map(({ name }) => name)
    .join(' beside ');

/** Two strategies of the catalogue by their joined name; undefined: the name is another one. Throws `UnknownStrategy`. */
export function findMixed(name: string): Mixed | undefined {
  const [first = '', second, ...more] = name.split(SEPARATOR);
  if (second === undefined || more.length > 0) return undefined;
  return mixed(findStrategy(first), findStrategy(second));
}

import {
  cellOf,
  execute,
  Frontier,
  planOf,
  rootOf,
  type Execution,
  type Plan,
  type World,
} from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

/** What a schedule shows: the outcomes, the final stocks and the violations. */
const shownBy = ({ result }: Execution): readonly string[] =>
  result === undefined
    ? []
    : [
        JSON.stringify([
          result.history.events.flatMap((e) => (e.type === 'end' ? [`${e.actor} ${e.code}`] : [])).sort(),
          result.history.final.amounts,
          [...new Set(result.verdict.violations.map(({ kind }) => kind))].sort(),
        ]),
      ];

/** What all schedules of a plan show, and how many were run. */
async function runAll(
  world: World,
  plan: Plan,
  isGroupwise: boolean,
  readsClock = false,
): Promise<{ readonly shown: readonly string[]; readonly runs: number }> {
  const frontier = new Frontier(plan, rootOf(isGroupwise, readsClock));
  const shown = new Set<string>();
  let runs = 0;
  while (frontier.size > 0)
    for (const taken of frontier.take(1)) {
      if (taken.isRedundant) continue;
      const execution = await execute(world, plan, taken.subtree);
      expect(execution.showsDependentGroups).toBe(false);
      if (execution.showsReadClock) return runAll(world, plan, isGroupwise, true);
      frontier.add(taken, execution);
      for (const one of shownBy(execution)) shown.add(one);
      runs++;
    }
  return { shown: [...shown].sort(), runs };
}

/** Buyers of two products: the groupwise search shows what the search of all orders shows. Returns the world. */
export function testGroupwise(file: string, strategies: readonly string[]): () => World {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(file);
  });
  afterAll(() => world.close());

  test.each(strategies)(
    '%s, two products: the groupwise search shows the same, with fewer runs',
    async (name) => {
      const plan = planOf(findStrategy(name), cellOf('two products'));
      const groupwise = await runAll(world, plan, true);
      const any = await runAll(world, plan, false);
      expect(groupwise.shown).toEqual(any.shown);
      expect(groupwise.shown.length).toBeGreaterThan(1);
      expect(groupwise.runs).toBeLessThan(any.runs);
    },
    EXPLORATION_MS,
  );
  return () => world;
}

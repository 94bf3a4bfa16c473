import {
  areDependent,
  cellOf,
  execute,
  executions,
  Frontier,
  groupsOf,
  planOf,
  rootOf,
  type Execution,
  type Footprint,
  type Plan,
  type World,
} from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openWorld } from '../harness/servers';

jest.setTimeout(EXPLORATION_MS);

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const groups = (carts?: readonly (readonly string[])[]): readonly string[] =>
  groupsOf({ processes: ['p1', 'p1', 'p2'], ...(carts && { carts }) }).map((group) => [...group].join(''));

test('actors whose carts have a balance in common are one group, also through a third one', () => {
  expect(groups()).toEqual(['ABC']);
  expect(groups([['item'], ['other'], ['item']])).toEqual(['B', 'AC']);
  expect(groups([['item'], ['other'], ['item', 'other']])).toEqual(['ABC']);
});

test('two groups are dependent when a step of one depends on a step of the other', () => {
  const write = (actor: string, of: string): Footprint => ({
    actor,
    accesses: [{ part: 'rows', of, writes: true }],
  });
  const ofItem = groupsOf({ processes: ['p1', 'p1'], carts: [['item'], ['other']] });
  expect(areDependent(ofItem, [write('A', 'item'), write('A', 'item'), write('B', 'other')])).toBe(false);
  expect(areDependent(ofItem, [write('A', 'item'), write('B', 'other'), write('B', 'item')])).toBe(true);
  expect(areDependent([], [write('A', 'item'), write('B', 'item')])).toBe(false);
});

/** What a schedule shows: the outcomes, the sales and the violations. */
const shown = ({ result }: Execution): readonly string[] =>
  result === undefined
    ? []
    : [
        JSON.stringify([
          result.history.events.flatMap((e) => (e.type === 'end' ? [`${e.actor} ${e.code}`] : [])).sort(),
          result.history.final.amounts,
          [...new Set(result.verdict.violations.map(({ kind }) => kind))].sort(),
        ]),
      ];

async function shownBy(plan: Plan, isGroupwise: boolean): Promise<{ all: Set<string>; runs: number }> {
  const frontier = new Frontier(plan, rootOf(isGroupwise));
  const all = new Set<string>();
  let runs = 0;
  while (frontier.size > 0)
    for (const { subtree, isRedundant } of frontier.take(1)) {
      if (isRedundant) continue;
      const execution = await execute(world, plan, subtree);
      expect(execution.showsDependentGroups).toBe(false);
      frontier.add(execution);
      for (const one of shown(execution)) all.add(one);
      runs++;
    }
  return { all, runs };
}

test.each(['watchdog', 'lua', 'expiring'])(
  '%s, two products: the same results with fewer runs',
  async (name) => {
    const plan = planOf(findStrategy(name), cellOf('two products'));
    const [groupwise, any] = [await shownBy(plan, true), await shownBy(plan, false)];
    expect([...groupwise.all].sort()).toEqual([...any.all].sort());
    expect(groupwise.all.size).toBeGreaterThan(1);
    expect(groupwise.runs).toBeLessThan(any.runs);
  },
);

test('the search begins again when a step of one product depends on one of the other', async () => {
  const plan = planOf(findStrategy('redis-and-table'), cellOf('two products')); // rows of locks are neighbors in one index
  let restarts = 0;
  let runs = 0;
  for await (const execution of executions(world, plan, () => restarts++)) {
    expect(execution.showsDependentGroups).toBe(false);
    if (++runs === 50) break;
  }
  expect(restarts).toBe(1);
});

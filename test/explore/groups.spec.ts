import { areDependent, cellOf, executions, groupsOf, planOf, type Footprint } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { testGroupwise } from './groupwise';

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

const world = testGroupwise(__filename, ['directory']);

test('the search begins again when a step of one product depends on one of the other', async () => {
  const plan = planOf(findStrategy('watchdog-shared-flag'), cellOf('two products')); // one flag for all locks of a process
  let restarts = 0;
  let runs = 0;
  for await (const execution of executions(world(), plan, () => restarts++)) {
    expect(execution.showsDependentGroups).toBe(false);
    if (++runs === 50) break;
  }
  expect(restarts).toBe(1);
});

import {
  EXPLORE_OPTIONS,
  Frontier,
  KnownSteps,
  readSchedule,
  rootOf,
  type Execution,
  type Node,
  type Plan,
} from '#lab/explore';
import { findStrategy } from '#lab/strategy';

const plan: Plan = {
  setup: {
    strategy: findStrategy('setnx'),
    options: EXPLORE_OPTIONS,
    stock: 1,
    processes: ['p1', 'p2'],
  },
  budget: {},
  faultPlaces: {},
  reduce: true,
};

type Statuses = NonNullable<Execution['path']>['decisions'][number]['statuses'];

/** A schedule without choices, at whose only decision A can do this. */
const showing = (
  status: Statuses[string],
  nodes: readonly Node[] = [],
): Pick<Execution, 'choices' | 'nodes' | 'path'> => ({
  choices: [],
  nodes,
  path: {
    from: 0,
    decisions: [{ statuses: { A: status }, isPaused: false, isLater: false }],
    footprints: [],
  },
});

const step = (isEnabled: boolean): Statuses[string] => ({
  footprint: { actor: 'A', accesses: [] },
  isEnabled,
  faults: [],
});

/** Whether a frontier to which these schedules were added is contradicted after each of them. */
function contradictedAfter(
  statuses: readonly Statuses[string][],
  options: { readonly predicts?: boolean } = {},
): readonly boolean[] {
  const frontier = new Frontier(plan, rootOf(false), options);
  const [taken] = frontier.take(1);
  if (taken === undefined) throw new Error('the root is open');
  return statuses.map((status) => {
    frontier.add(taken, showing(status));
    return frontier.isContradicted;
  });
}

test('an actor that does the same after the same choices contradicts nothing', () => {
  expect(contradictedAfter([step(true), step(true)])).toEqual([false, false]);
  expect(contradictedAfter(['over', 'over', 'other'])).toEqual([false, false, false]);
});

test.each([
  ['a step that was enabled is not', step(true), step(false)],
  ['a step is possible where the request had ended', 'over', step(true)],
  ['the request has ended where a step was possible', step(true), 'over'],
  ['a statement is blocked where the request had ended', 'over', 'blocked'],
] as const)('a frontier is contradicted when %s', (_, first, second) => {
  expect(contradictedAfter([first, second])).toEqual([false, true]);
  expect(contradictedAfter([first, second], { predicts: false })).toEqual([false, false]);
});

test('what is known is limited: nothing more is noted, and what was noted is still known and checked', () => {
  const steps = new KnownSteps(1);
  const add = (statuses: Statuses): void => {
    steps.add(undefined, [], {
      from: 0,
      decisions: [{ statuses, isPaused: false, isLater: false }],
      footprints: [],
    });
  };
  add({ A: 'over', B: 'over' });
  expect([steps.next(undefined, 'A'), steps.next(undefined, 'B')]).toEqual(['over', undefined]);
  add({ B: step(true) });
  expect(steps.next(undefined, 'B')).toBeUndefined();
  expect(steps.isContradicted).toBe(false);
  add({ A: step(true) });
  expect(steps.isContradicted).toBe(true);
});

test('while other subtrees run, a batch may be empty, and nothing is lost', () => {
  const frontier = new Frontier(plan, rootOf(false));
  const [taken] = frontier.take(16, { isLast: true });
  if (taken === undefined) throw new Error('the root is open');
  expect(frontier.take(16, { isLast: false })).toEqual([]);
  const awake = (readSchedule('ab') ?? []).map((choice) => ({
    choice,
    footprint: { actor: undefined, accesses: [] },
  }));
  const node: Node = { at: 0, state: undefined, awake, sleepSet: [], taken: 0, share: 0.5 };
  frontier.add(taken, showing('other', [node]));
  expect(frontier.size).toBe(1);
  expect(frontier.take(16, { isLast: false })).toHaveLength(1);
  expect(frontier.size).toBe(0);
});

import { KnownStates, readSchedule, scheduleText, type Choice, type Node } from '#lab/explore';

const choicesOf = (text: string): readonly Choice[] => readSchedule(text) ?? [];

/** Choices are independent of each other when their actors differ. */
const asleep = (text: string): Node['awake'][number] => {
  const [choice] = choicesOf(text) as [Choice];
  const actor = 'actor' in choice ? choice.actor : '';
  const footprint = { actor, accesses: [] };
  return { choice, footprint };
};

const node = (at: number, state: string, awake: string, sleepSet = ''): Node => ({
  at,
  state,
  awake: Array.from(awake, asleep),
  sleepSet: Array.from(sleepSet, asleep),
  taken: 0,
  share: 1,
});

/** The subtrees that an execution with the choices `text` opens: prefix, and its sleep set after a slash. */
const open = (known: KnownStates, text: string, nodes: readonly Node[]): string[] =>
  known
    .open({ choices: choicesOf(text), nodes })
    .subtrees.map(
      ({ prefix, sleepSet }) =>
        `${scheduleText(prefix)}/${sleepSet.map(({ choice }) => scheduleText([choice])).join('')}`,
    );

test('a first arrival opens every choice but the first, which its own schedule takes', () => {
  expect(open(new KnownStates({ reduce: true }), 'ab', [node(0, 's', 'abc')])).toEqual(['b/a', 'c/ab']);
});

test('a later arrival opens nothing, and what follows it on its schedule is left out', () => {
  const known = new KnownStates({ reduce: true });
  open(known, 'ab', [node(1, 's', 'ab')]);
  expect(open(known, 'bab', [node(1, 's', 'ab'), node(2, 'another', 'ab')])).toEqual([]);
  expect(open(known, 'ab', [node(1, 'another', 'ab')])).toEqual(['ab/a']);
});

test('a later arrival opens the choices that were asleep at every earlier one, also the first, and only once', () => {
  const known = new KnownStates({ reduce: true });
  expect(open(known, 'b', [node(0, 's', 'bc', 'a')])).toEqual(['c/ab']);
  // b was searched without what begins with a: it must not be left out after a
  expect(open(known, 'a', [node(0, 's', 'abc')])).toEqual(['a/']);
  expect(open(known, 'a', [node(0, 's', 'abc')])).toEqual([]);
});

test('an unknown state opens every choice each time', () => {
  const known = new KnownStates({ reduce: true });
  const unknown: Node = { ...node(0, '', 'ab'), state: undefined };
  expect([open(known, 'a', [unknown]), open(known, 'a', [unknown])]).toEqual([['b/a'], ['b/a']]);
});

test('without the reduction no subtree leaves anything out', () => {
  expect(open(new KnownStates({ reduce: false }), 'a', [node(0, 's', 'abc')])).toEqual(['b/', 'c/']);
});

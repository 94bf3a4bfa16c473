import {
  emptyTally,
  EXPLORE_OPTIONS,
  readSchedule,
  Search,
  type Counted,
  type Plan,
  type Subtree,
  type Tally,
} from '#lab/explore';
import { findStrategy } from '#lab/strategy';

/** A search begins again when one of its runs refutes what it has assumed. What it had found until then is not lost. */

const plan: Plan = {
  setup: {
    strategy: findStrategy('none'),
    options: EXPLORE_OPTIONS,
    stock: 1,
    processes: ['p1', 'p2'],
  },
  budget: { lapse: 1 },
  faultPlaces: {},
  reduce: true,
};

const [a, b] = readSchedule('ab') ?? [];

/** A schedule that oversells. */
const overselling = (): Tally => ({
  ...emptyTally(),
  schedules: 1,
  violating: 1,
  harms: { 'data-wrong': 1, unavailable: 0, 'lock-broken': 0 },
  kinds: new Map([['oversold', 1]]),
  witnesses: new Map([['oversold', { choices: a === undefined ? [] : [a], violations: [] }]]),
});

const safe = (): Tally => ({ ...emptyTally(), schedules: 1 });

const ran = (tally: Tally, others: Partial<Counted> = {}): Counted => ({
  choices: [],
  nodes: [],
  path: undefined,
  showsDependentGroups: false,
  showsReadClock: false,
  tally,
  ...others,
});

/** The first schedule, at whose first decision another one branches off. */
function first(tally: Tally): Counted {
  if (a === undefined || b === undefined) throw new Error('there are no choices');
  const awake = [a, b].map((choice) => ({ choice, footprint: { actor: undefined, accesses: [] } }));
  return ran(tally, {
    choices: [a],
    nodes: [{ at: 0, state: undefined, awake, sleepSet: [], taken: 0, share: 0.5 }],
  });
}

/** The result of a search where the second schedule shows that code reads the clock. Ctrl-C then, or all schedules once more. */
function searchAgain(afterwards: 'interrupted' | Tally): Promise<Tally> {
  const interrupt = new AbortController();
  const run = ({ readsClock, prefix }: Subtree): Counted => {
    const isFirst = prefix.length === 0;
    if (readsClock) return isFirst && afterwards !== 'interrupted' ? first(afterwards) : ran(safe());
    if (isFirst) return first(overselling());
    if (afterwards === 'interrupted') interrupt.abort();
    return ran(safe(), { showsReadClock: true });
  };
  return new Search(plan).run((subtrees) => Promise.resolve(subtrees.map(run)), { signal: interrupt.signal });
}

test('a violation that was found before the search began again is part of its result', async () => {
  const { schedules, violating, kinds, witnesses, harms, partial } = await searchAgain('interrupted');
  expect([...kinds]).toEqual([['oversold', 1]]);
  expect([...witnesses.keys()]).toEqual(['oversold']);
  expect(harms['data-wrong']).toBe(1);
  expect({ schedules, violating, partial }).toEqual({ schedules: 1, violating: 1, partial: true });
});

test('a violation that is found again counts once', async () => {
  const { schedules, kinds, partial } = await searchAgain(overselling());
  expect([...kinds]).toEqual([['oversold', 1]]);
  expect({ schedules, partial }).toEqual({ schedules: 2, partial: false });
});

import {
  ChoiceNotEnabled,
  choiceText,
  EXPLORE_OPTIONS,
  InteractiveSchedule,
  NoLongerReproduces,
  normalize,
  readSchedule,
  readToken,
  replay,
  writeToken,
  type Choice,
  type Control,
  type ScheduleView,
  type Setup,
  type SourcePosition,
  type World,
} from '#lab/explore';
import { CATALOGUE, componentsOf, findStrategy } from '#lab/strategy';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename, [], { keepsStacks: true });
});
afterAll(() => world.close());

const setupOf = (strategy: string, processes = ['p1', 'p2']): Setup => ({
  strategy: findStrategy(strategy),
  options: EXPLORE_OPTIONS,
  stock: 1,
  processes,
});

const choicesOf = (text: string): readonly Choice[] => {
  const choices = readSchedule(text);
  if (choices === undefined) throw new Error(`not a schedule: ${text}`);
  return choices;
};

/** Plays a schedule, and returns its view. The schedule is closed. */
async function viewAfter(
  strategy: string,
  text: string,
  processes?: readonly string[],
): Promise<ScheduleView> {
  const schedule = await InteractiveSchedule.begin(world, setupOf(strategy, processes && [...processes]), {
    choices: choicesOf(text),
    checks: '',
  });
  const view = await schedule.view();
  await schedule.close();
  return view;
}

const disabledIn = ({ controls }: ScheduleView, text: string): Control['disabled'] =>
  controls.find(({ choice }) => choiceText(choice) === text)?.disabled;

const kindsIn = ({ verdict }: ScheduleView): string[] => verdict.violations.map(({ kind }) => kind);

test('every buyer is held before its first step, with the line of its code', async () => {
  const { actors, isOver, verdict } = await viewAfter('token-lua', '');
  expect(actors.map(({ next }) => next?.text.split(' ')[0])).toEqual(['SET', 'SET']);
  expect(actors[0]?.at.map(({ file }) => file)).toEqual(
    expect.arrayContaining(['strategies/token-lua.ts', 'shared/with-lock.ts']),
  );
  expect({ isOver, violations: verdict.violations }).toEqual({ isOver: false, violations: [] });
});

/** The lines at which buyer A is before each of its steps: the innermost one, and the innermost one of the strategy's own file. */
async function linesOfBuyer(strategy: string): Promise<{ innermost: string[]; own: string[] }> {
  const schedule = await InteractiveSchedule.begin(world, setupOf(strategy));
  const found: { innermost: string[]; own: string[] } = { innermost: [], own: [] };
  for (;;) {
    const { actors, isOver } = await schedule.view();
    const [a] = actors;
    if (isOver || a?.outcome !== undefined) break;
    found.innermost.push(sourceLine(a?.at[0]));
    found.own.push(sourceLine(a?.at.find(({ file }) => file === `strategies/${strategy}.ts`)));
    await schedule.choose({ kind: 'step', actor: 'A' });
  }
  await schedule.close();
  return found;
}

const sourceLine = (position: SourcePosition | undefined): string =>
  position === undefined
    ? 'unknown'
    : (readFileSync(join(__dirname, '../../libs/strategy/src', position.file), 'utf8').split('\n')[
        position.line - 1
      ] ?? 'no such line');

const times = (n: number, line: string): unknown[] =>
  Array.from({ length: n }, (): unknown => expect.stringContaining(line));

const LINES_OF_FOR_UPDATE = [
  ...times(1, 'balances.transaction('),
  ...times(1, 'tx.readForUpdate('),
  ...times(2, 'tx.write('),
  ...times(1, 'balances.transaction('),
];

/** START TRANSACTION, UPDATE, INSERT, COMMIT. */
const STATEMENTS_OF_A_WRITE = 4;

test.each([
  {
    what: 'returns the promise of the write',
    strategy: 'setnx',
    innermost: [
      ...times(1, 'redis.setnx('),
      ...times(1, 'balances.read('),
      ...times(STATEMENTS_OF_A_WRITE, 'balances.write('),
      ...times(1, 'redis.del('),
    ],
    own: [
      ...times(1, 'redis.setnx('),
      ...times(1 + STATEMENTS_OF_A_WRITE, 'readModifyWrite('),
      ...times(1, 'redis.del('),
    ],
  },
  {
    what: 'opens a transaction',
    strategy: 'for-update',
    innermost: LINES_OF_FOR_UPDATE,
    own: LINES_OF_FOR_UPDATE,
  },
  {
    what: 'opens a transaction on the connection of a named lock',
    strategy: 'mysql-named-lock',
    innermost: [
      ...times(1, 'underNamedLock('),
      ...times(1, 'session.transaction('),
      ...times(1, 'balances.read('),
      ...times(2, 'balances.write('),
      ...times(1, 'session.transaction('),
      ...times(1, 'underNamedLock('),
    ],
    own: [
      ...times(1, 'underNamedLock('),
      ...times(5, 'session.transaction('),
      ...times(1, 'underNamedLock('),
    ],
  },
])(
  'each step of a buyer has the line that issued it: $strategy, which $what',
  async ({ strategy, innermost, own }) => {
    expect(await linesOfBuyer(strategy)).toEqual({ innermost, own });
  },
);

test.each(CATALOGUE.filter((strategy) => componentsOf([strategy]).length === 0).map(({ name }) => name))(
  'no step of a buyer is shown without a line of its strategy: %s',
  async (strategy) => {
    const { innermost, own } = await linesOfBuyer(strategy);
    expect(innermost.length).toBeGreaterThan(0);
    expect([...innermost, ...own]).not.toContain('unknown');
  },
);

test('a violation is shown as soon as no later step can undo it', async () => {
  expect(kindsIn(await viewAfter('expiring', 'a2Lb'))).toEqual([]);
  expect(kindsIn(await viewAfter('expiring', 'a2Lb2a'))).toEqual(['overlap']);
  // A deletes the lock of B
  expect(kindsIn(await viewAfter('expiring', 'a2Lb2a5'))).toEqual(['overlap', 'foreign-release']);
});

test('the token of a finished schedule replays to the same history and the same violations', async () => {
  const schedule = await InteractiveSchedule.begin(world, setupOf('expiring'), {
    choices: choicesOf('a2Lb2a5b5'),
    checks: '',
  });
  const view = await schedule.view();
  expect(view.isOver).toBe(true);
  expect(kindsIn(view)).toEqual(expect.arrayContaining(['oversold', 'lost-update', 'foreign-release']));
  const token = writeToken(schedule.token(view.verdict));
  const played = await replay(world, readToken(token));
  expect(normalize(played.history)).toEqual(normalize(view.history));
  expect(played.verdict).toEqual(view.verdict);
});

test('a schedule without its last choice is the schedule before that choice', async () => {
  const before = await viewAfter('expiring', 'a2L');
  const schedule = await InteractiveSchedule.begin(world, setupOf('expiring'), {
    choices: choicesOf('a2Lb'),
    checks: '',
  });
  const token = schedule.token({ violations: [], sold: 0 }, 3);
  await schedule.close();
  const again = await InteractiveSchedule.begin(world, token.setup, token);
  const view = await again.view();
  await again.close();
  expect(normalize(view.history)).toEqual(normalize(before.history));
  expect(view.controls).toEqual(before.controls);
});

describe('a choice that is not enabled says why', () => {
  test.each([
    [
      'the buyer waits for the row lock of another one',
      'for-update',
      'a2b2',
      'b',
      { code: 'blocked', by: ['A'] },
    ],
    ['its process is not the owner of the mutex', 'local-mutex', 'a', 'b', { code: 'mutex' }],
    ['it waits until the lock changes', 'setnx', 'ab', 'b', { code: 'waiting', by: ['A'] }],
    ['no lock has a lease', 'none', '', 'L', { code: 'no-lease' }],
    ['no timer is set', 'none', '', 'W', { code: 'no-timer' }],
    ['its process has died', 'none', 'aK1', 'a', { code: 'died' }],
    ['it has ended', 'conditional-update', 'a4', 'a', { code: 'ended', outcome: 'APPLIED' }],
    ['nothing has begun', 'none', '', 'K1', { code: 'not-begun' }],
  ])('%s', async (_, strategy, text, choice, reason) => {
    const processes = strategy === 'local-mutex' ? ['p1', 'p1'] : undefined;
    const view = await viewAfter(strategy, text, processes);
    expect(disabledIn(view, choice)).toMatchObject(reason);
  });
});

test('a refused choice changes nothing', async () => {
  const schedule = await InteractiveSchedule.begin(world, setupOf('none'));
  const before = await schedule.view();
  await expect(schedule.choose({ kind: 'lapse' })).rejects.toBeInstanceOf(ChoiceNotEnabled);
  const after = await schedule.view();
  await schedule.close();
  expect(after).toEqual({ ...before, history: { ...before.history, events: after.history.events } });
  expect(schedule.choices).toEqual([]);
});

test('a schedule whose steps have changed is refused, with the number of the first one', async () => {
  const schedule = await InteractiveSchedule.begin(world, setupOf('none'), {
    choices: choicesOf('a2'),
    checks: '',
  });
  const { setup, choices, checks } = schedule.token({ violations: [], sold: 0 });
  await schedule.close();
  const other = { choices, checks: `${checks.charAt(0)}-` };
  const refused = InteractiveSchedule.begin(world, setup, other);
  await expect(refused).rejects.toBeInstanceOf(NoLongerReproduces);
  await expect(refused).rejects.toMatchObject({ step: 2 });
});

test('a host cannot fail while a buyer of it awaits a named lock, and the reason is given; it can fail while the buyer holds one', async () => {
  const [blocked, named, running] = [
    await viewAfter('mysql-named-lock', 'ab'),
    await viewAfter('mysql-named-lock', 'a'),
    await viewAfter('for-update', 'a2b2'),
  ];
  expect(disabledIn(blocked, 'H2')).toMatchObject({ code: 'blocked', by: ['A'] });
  expect(disabledIn(named, 'H1')).toBeUndefined();
  expect([disabledIn(running, 'H1'), disabledIn(running, 'H2')]).toEqual([undefined, undefined]);
});

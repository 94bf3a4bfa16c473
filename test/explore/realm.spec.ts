import {
  EXPLORE_OPTIONS,
  NotLoadable,
  OutsideTheSeam,
  Realm,
  SHARED_MODULES,
  Schedule,
  before,
  cellOf,
  explore,
  judgeCell,
  loadStrategy,
  normalize,
  parseBudget,
  planOf,
  play,
  type Tally,
  type World,
  readSchedule,
} from '#lab/explore';
import { SoldOut } from '#lab/balance';
import { OutcomeUnknown, step } from '#lab/step';
import {
  CATALOGUE,
  LockLost,
  fileOf,
  findStrategy,
  tokenLock,
  type Capability,
  type Strategy,
} from '#lab/strategy';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import { lockStepsOf, trialsOf } from '../contract/promises';
import { booleanFlag } from '../fixtures/module-state/boolean-flag';
import { keyOfTheProcess } from '../fixtures/module-state/key-of-the-process';
import { moduleMutex } from '../fixtures/module-state/module-mutex';
import { ownTimer } from '../fixtures/module-state/own-timer';
import { pidAsOwner } from '../fixtures/module-state/pid-as-owner';
import { polledFlag } from '../fixtures/module-state/polled-flag';
import * as here from '../fixtures/module-state/shared';
import { planted, sellUnprotected } from '../harness/planted';
import { openWorld } from '../harness/servers';

let world: World;
let folder: string;
beforeAll(async () => {
  world = await openWorld(__filename);
  folder = mkdtempSync(join(tmpdir(), 'realm-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

const find = (strategy: Strategy, cell: string, max = Infinity): Promise<Tally> =>
  explore(world, planOf(strategy, cellOf(cell)), { max });

/** Enough schedules to find an existing violation. */
const ENOUGH_FOR_A_FAILURE = 150;

/** The evidence of the contract suite against a promise. */
async function broken(strategy: Strategy, capability: Capability): Promise<unknown[]> {
  const lock = await lockStepsOf(await Schedule.begin(world, strategy, { processes: ['p1'] }));
  const seen: unknown[] = [];
  for (const { processes, scenarios, broken } of trialsOf(capability))
    for (const scenario of Object.values(scenarios)) {
      const schedule = await Schedule.begin(world, strategy, { processes });
      await scenario(schedule, lock);
      seen.push(...broken(await schedule.end()));
    }
  return seen;
}

/** Mutable variables at the top of a module: `let`, and constants that are new objects or empty collections. */
function variablesOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023);
  return source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList: list }) => {
    const isFixed = (list.flags & ts.NodeFlags.Const) !== 0;
    return list.declarations
      .filter(({ initializer: value }) => !isFixed || (value !== undefined && isCollection(value)))
      .map(({ name }) => name.getText(source));
  });
}

const isCollection = (value: ts.Expression): boolean =>
  (ts.isNewExpression(value) && value.arguments?.length === 0) ||
  (ts.isArrayLiteralExpression(value) && value.elements.length === 0) ||
  (ts.isObjectLiteralExpression(value) && value.properties.length === 0);

/** Writes a module for one test and returns its path. */
function moduleOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe.each([booleanFlag, moduleMutex, keyOfTheProcess])(
  '$name protects the requests of one process only',
  (strategy) => {
    test('the explorer finds that two processes sell the last unit twice', async () => {
      const tally = await find(strategy, 'two processes');
      expect([...tally.kinds.keys()]).toEqual(expect.arrayContaining(['oversold', 'lost-update']));
      expect(tally.partial).toBe(false);
    });

    test('the explorer finds no violation in one process', async () => {
      const tally = await find(strategy, 'same process');
      expect([[...tally.kinds.keys()], tally.partial]).toEqual([[], false]);
    });

    test('the contract suite finds that the promise across processes is broken and the one inside a process holds', async () => {
      expect(await broken(strategy, 'exactAcrossProcesses')).not.toEqual([]);
      expect(await broken(strategy, 'exactInOneProcess')).toEqual([]);
    });
  },
);

test('explored processes have different process ids: as lock owners they are exact between processes only', async () => {
  expect((await find(pidAsOwner, 'two processes')).violating).toBe(0);
  const { kinds } = await find(pidAsOwner, 'same process', ENOUGH_FOR_A_FAILURE);
  expect([...kinds.keys()]).toContain('oversold');
});

test('Date.now() is virtual time in the code of a strategy, and real time in the client of a server', async () => {
  const dates: Record<'strategy' | 'client', number> = { strategy: 0, client: 0 };
  const readsDates = planted('reads-dates', async (change, { balances }) => {
    const readDate = (): number => Date.now(); // eslint-disable-line no-restricted-properties -- what a library does
    dates.client = await step(
      () => ({ kind: 'redis', verb: 'PING', text: 'PING' }),
      () => Promise.resolve(readDate()),
    );
    dates.strategy = readDate();
    return sellUnprotected(change, balances);
  });
  const schedule = await Schedule.begin(world, readsDates, { processes: ['p1'] });
  await schedule.A.finish();
  await schedule.end();
  expect(new Date(dates.strategy).toISOString()).toBe('2025-01-01T00:00:00.000Z');
  expect(dates.client).toBeGreaterThan(Date.parse('2026-01-01'));
});

test('a buyer that waits in memory for another one counts as contention', async () => {
  expect(judgeCell(await find(moduleMutex, 'same process'), undefined)).toEqual({ mark: 'safe' });
});

describe('a schedule starts with fresh modules', () => {
  test('a flag left set by a killed process is not set in the next schedule', async () => {
    const killed = await Schedule.begin(world, booleanFlag, { processes: ['p1'] });
    await killed.A.runUntil(before('UPDATE balance'));
    await killed.A.kill();
    await killed.end();
    const next = await Schedule.begin(world, booleanFlag, { processes: ['p1'] });
    await next.A.finish();
    await next.end();
    expect(next.A.outcome).toBe('APPLIED');
  });

  test('a search with kills runs the same schedules when repeated', async () => {
    const processes = ['p1', 'p1', 'p2'];
    const setup = { strategy: moduleMutex, options: EXPLORE_OPTIONS, stock: 1, processes };
    const plan = { setup, budget: parseBudget('kill:1'), faultPlaces: {}, reduce: true };
    const searchWithKills = (): Promise<Tally> => explore(world, plan, { max: ENOUGH_FOR_A_FAILURE });
    const [first, second] = [await searchWithKills(), await searchWithKills()];
    expect(second).toEqual(first);
    expect(first.schedules).toBeGreaterThan(10);
  });

  test('a schedule in which a buyer waits in memory replays identically', async () => {
    const { setup } = planOf(moduleMutex, cellOf('same process'));
    const first = await play(world, setup, readSchedule('a2') ?? [], { strict: true });
    const second = await play(world, setup, first.choices, { strict: true, checks: first.checks });
    expect(normalize(second.history)).toBe(normalize(first.history));
  });
});

test('the explorer waits for a timer that a strategy sets without the clock', async () => {
  for (const cell of ['two processes', 'same process'])
    expect([...(await find(ownTimer, cell, ENOUGH_FOR_A_FAILURE)).kinds.keys()]).toContain('oversold');
});

test('a wait that the explorer cannot observe ends with an error and never hangs', async () => {
  await expect(find(polledFlag, 'same process')).rejects.toThrow(OutsideTheSeam);
  const next = await Schedule.begin(world, polledFlag, { processes: ['p1'] });
  const { verdict } = await next.end();
  expect([next.A.outcome, verdict.violations]).toEqual(['APPLIED', []]);
});

describe('a realm', () => {
  test('loads every strategy of the catalogue from its file, with separate functions per realm', () => {
    for (const strategy of CATALOGUE) {
      const file = fileOf(strategy) ?? '';
      const [first, second] = [101, 102].map((pid) => loadStrategy(file, strategy.name, new Realm(pid)));
      expect(JSON.stringify([first, second])).toBe(JSON.stringify([strategy, strategy]));
      expect(new Set([strategy, first, second]).size).toBe(3);
    }
  });

  test('does not take a copy of a catalogue strategy for the original', () => {
    expect(fileOf({ ...findStrategy('none') })).toBeUndefined();
  });

  test('has its own variables, packages, globals and process id', () => {
    moduleOf('state.js', 'exports.calls = 0;');
    const file = moduleOf(
      'user.js',
      `const { Mutex } = require(${JSON.stringify(require.resolve('async-mutex'))});
      const state = require('./state');
      globalThis.seen = (globalThis.seen ?? 0) + 1;
      exports.look = () => ({ calls: ++state.calls, seen: global.seen, pid: process.pid, Mutex, sameProcess: globalThis.process === process && require('node:process') === process });`,
    );
    type Look = () => Record<'calls' | 'seen' | 'pid' | 'Mutex' | 'sameProcess', unknown>;
    const [first, second] = [101, 102].map((pid) => (new Realm(pid).load(file) as { look: Look }).look);
    first?.();
    expect(first?.()).toMatchObject({ calls: 2, seen: 1, pid: 101, sameProcess: true });
    expect(second?.()).toMatchObject({ calls: 1, seen: 1, pid: 102, sameProcess: true });
    expect(first?.()['Mutex']).not.toBe(second?.()['Mutex']);
    expect(globalThis).not.toHaveProperty('seen');
  });

  test('shares the errors of the seam and of the strategies, and the intrinsics, with the explorer', () => {
    const file = join(__dirname, '..', 'fixtures', 'module-state', 'shared.ts');
    const shared = new Realm(101).load(file) as typeof here;
    expect(shared.SoldOut).toBe(SoldOut);
    expect(shared.OutcomeUnknown).toBe(OutcomeUnknown);
    expect(shared.LockLost).toBe(LockLost);
    expect(new shared.Mine()).toBeInstanceOf(Error);
    expect(shared.Mine).not.toBe(here.Mine);
    expect(shared.tokenLock).not.toBe(tokenLock); // code of a strategy is not shared
  });

  test('has no shared module and no catalogue strategy with a module-level variable, except the two listed', () => {
    const library = dirname(dirname(fileOf(findStrategy('none')) ?? ''));
    const files = ['shared', 'strategies'].flatMap((name) =>
      readdirSync(join(library, name)).map((file) => join(library, name, file)),
    );
    const found = [...SHARED_MODULES.map((name) => join(library, `${name}.ts`)), ...files].flatMap((file) =>
      variablesOf(file).map((variable) => `${basename(file, '.ts')}: ${variable}`),
    );
    expect(new Set(found)).toEqual(
      new Set([
        'scripts: scripts', // the registry of Lua texts, the same for all processes
        'watchdog-shared-flag: running', // the defect that this strategy demonstrates; only its timers read it
      ]),
    );
  });

  test('rejects an ES module, import() and a file without the strategy, and says what to do', () => {
    const realm = new Realm(101);
    const load = (name: string, text: string) => () => loadStrategy(moduleOf(name, text), 'mine', realm);
    expect(load('es.js', 'export const mine = { name: "mine" };')).toThrow(NotLoadable);
    expect(load('dynamic.js', 'exports.load = () => import("./state.js");')).toThrow('Import it at the top');
    expect(load('other.js', 'exports.other = { name: "other" };')).toThrow('no strategy named "mine"');
  });
});

import { CELLS, emptyTally, planOf, drawLanes, type MatrixRow, type Tally } from '#lab/explore';
import type { Finding } from '#lab/stack';
import { CATALOGUE, findStrategy, SAFE } from '#lab/strategy';
import {
  judgeDrill,
  judgeLoad,
  type Evidence,
  type MinuteVerdict,
  type ScheduleHistory,
  type StepEvent,
} from '#lab/verdict';
import type { LockBenchResult, StampedeBenchResult } from '#load-tests/bench';
import type { Crash } from '#load-tests/crash';
import { DRILLS } from '#load-tests/drills';
import { completePlan, type LoadRun } from '#load-tests/run';
import { SCENARIOS } from '#load-tests/scenarios';
import { planSoak } from '#load-tests/soak';
import { committedMatrix } from '../../apps/lab/src/committed-matrix';
import { printStampede } from '../../apps/lab/src/print/bench-stampede';
import { printGoals, printLossSignals, printPairs, printSpeeds } from '../../apps/lab/src/print/bench';
import { printCrashes } from '../../apps/lab/src/print/crash';
import { demoTable } from '../../apps/lab/src/print/demo';
import { printDoctor } from '../../apps/lab/src/print/doctor';
import { drillTable, printTimeline } from '../../apps/lab/src/print/drill';
import { printFuzz } from '../../apps/lab/src/print/fuzz';
import { printNested, printSchedule } from '../../apps/lab/src/print/lanes';
import { printLostReplies } from '../../apps/lab/src/print/lost-replies';
import { printMatrix } from '../../apps/lab/src/print/matrix';
import { printSoak, printSoakPlan } from '../../apps/lab/src/print/soak';
import { printStrategies, printStrategy } from '../../apps/lab/src/print/strategies';
import { renderTable } from '../../apps/lab/src/print/table';
import { tellingCommand } from '../../apps/lab/src/shown-by';
import { printTally } from '../../apps/lab/src/print/tally';
import { printRun, printVerdict } from '../../apps/lab/src/print/verdict';
import { shellCommand } from '../../apps/lab/src/print/wrap';
import { collision, killedHolder } from '../report/runs';

/** Columns of a line when standard output is not a terminal. */
const WIDTH = 100;

function expectToFit(text: string): void {
  const tooLong = text.split('\n').filter((line) => Array.from(line).length > WIDTH);
  expect(tooLong).toEqual([]);
  expect(text.trim()).not.toBe('');
}

/** Longer than a line. */
const LONG =
  'lock:{item}:setnx-expire-all never ends: A took it at step 1, it has no time to live, its holder is dead and no client renews it';

const loadRun = (evidence: Evidence, fault?: string): LoadRun => ({
  plan: completePlan({
    strategy: 'expiring',
    ...(fault !== undefined && { fault: { header: fault, on: { kind: 'first' } } }),
  }),
  evidences: [evidence],
  verdict: {
    ...judgeLoad(evidence, SAFE),
    mechanism: LONG,
    outcomes: Object.fromEntries(
      ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((name, i) => [`LOCK.CODE_${name}`, i]),
    ),
  },
  latency: {
    requestsPerSecond: 1234.5,
    salesPerSecond: 123.4,
    p50: 1685.4,
    p90: 2095.8,
    p99: 2228.3,
    max: 2228.3,
    unanswered: 0,
    share: { 'order-1': 300, 'order-2': 300 },
  },
  unexpected: {
    count: 12,
    of: 600,
    groups: [
      {
        status: 500,
        code: 'INTERNAL',
        count: 12,
        example: { request: 'a-1', body: '{"code":"INTERNAL"}', log: ['order-1: {"level":"error"}'] },
      },
    ],
  },
  conditions: {},
});

const openLoopRun = (evidence: Evidence): LoadRun => {
  const run = loadRun(evidence);
  const figures = { p50: 11685.4, p90: 12095.8, p99: 12228.3, max: 12228.3 };
  const openLoop = {
    perSecond: 20_000,
    seconds: 600,
    arrivals: 'poisson',
    seed: 2 ** 31 - 1,
    inFlight: 1500,
  } as const;
  const offered = {
    askedPerSecond: 20_000,
    perSecond: 12_345.6,
    tookMs: 600_000,
    lateP99Ms: 12_228.3,
    lateMaxMs: 12_228.3,
    waited: 123_456,
    asAsked: false,
  };
  return {
    ...run,
    plan: { ...run.plan, openLoop },
    latency: { ...run.latency, ...figures, offered, uncorrected: figures },
  };
};

const step = (n: number, actor: string, text: string, more: Partial<StepEvent> = {}): StepEvent => ({
  type: 'step',
  n,
  actor,
  kind: 'redis',
  verb: text.split(' ')[0] ?? '',
  text,
  reply: 'OK',
  ...more,
});

/** Three buyers whose lanes would need 142 columns. */
const schedule = (names: readonly string[]): ScheduleHistory => ({
  strategy: 'expiring',
  stock: 1,
  actors: names.map((name, i) => ({ name, process: `p${i + 1}`, cart: ['item', 'other'] })),
  events: names.flatMap((name, i) => [
    step(3 * i + 1, name, 'SET lock:{item}:expiring 01234567-89ab-cdef-0123-456789abcdef PX 10000 NX', {
      locks: [{ key: 'lock:{item}:expiring', change: 'taken', by: name, owner: name }],
    }),
    step(3 * i + 2, name, 'UPDATE balance SET amount = amount - 1 WHERE sku = "item" AND amount > 0', {
      kind: 'sql',
      reply: { affectedRows: 1 },
    }),
    step(3 * i + 3, name, 'DEL lock:{item}:expiring', {
      reply: 0,
      locks: [{ key: 'lock:{item}:expiring', change: 'released', by: name, owner: 'A' }],
    }),
  ]),
  final: { amount: 0, amounts: { item: 0, other: 0 }, movements: [], locks: [] },
});
const scheduleVerdict = {
  violations: [{ kind: 'oversold' as const, sentence: LONG }],
} as unknown as Parameters<typeof drawLanes>[1];

const matrixRow: MatrixRow = {
  strategy: 'watchdog-shared-flag',
  code: 'd8d2d',
  cost: { redis: 3, sql: 5 },
  cells: CELLS.map(({ name }, i) => ({
    cell: name,
    mark: i % 2 === 0 ? ('data-wrong' as const) : ('safe' as const),
    schedules: 1234,
    redundant: 10,
    harms: { 'data-wrong': i % 2 === 0 ? 1000 : 0, unavailable: 0, 'lock-broken': 0 },
    kinds: i % 2 === 0 ? { oversold: 1000, 'lost-update': 1000, 'foreign-release': 500, overlap: 1000 } : {},
    ...(i % 2 === 0 && {
      token: `v1.${'rollback-on-loss'.repeat(5)}.${i}`,
      sentence: LONG,
      passes: 'fenced',
    }),
    prevented: { waits: 2, rejects: 2, aborts: 0 },
    protections: i % 2 === 0 ? {} : { [LONG]: 2 },
    contradictions: [],
  })),
};

const tally: Tally = {
  ...emptyTally(),
  schedules: 1234,
  violating: 1000,
  harms: { 'data-wrong': 1000, unavailable: 0, 'lock-broken': 0 },
  kinds: new Map([
    ['oversold', 1000],
    ['lost-update', 1000],
  ]),
  fired: new Map([['kill', 1000]]),
};

const minute: MinuteVerdict = {
  number: 1,
  counts: true,
  contendedPercent: 87,
  sold: 12_345,
  balances: 6,
  soldOut: 5,
  answers: { APPLIED: 12_345, 'STOCK.SOLD_OUT': 678, 'LOCK.NOT_OBTAINED': 90, OUTCOME_UNKNOWN: 12 },
  answeredUnknown: 12,
  insisted: { purchases: 30, bought: 20 },
  fired: { kill: 5, pause: 5, 'order-killed': 3, 'lose-reply': 2, 'redis-restart': 1, 'network-cut': 1 },
  inVain: { kill: 2 },
  wrong: [LONG],
};

const crash: Crash = {
  app: 'inventory',
  when: 'after',
  step: 'UPDATE balance SET amount',
  fault: 'inventory:after(UPDATE#1)=kill',
  name: 'conditional-update, two products',
  finder: 'reconciler',
  answered: { status: 502, code: 'OUTCOME_UNKNOWN', isReplayed: false, waited: 0 },
  left: [{ sku: 'a', stock: 1, taken: 1, buyers: ['x'], orders: [] }],
  reconciled: 'completed',
  answeredAgain: { status: 201, code: 'APPLIED', isReplayed: true, waited: 2 },
  wrong: [LONG],
};

const figures = {
  perSecond: 1,
  handOversPerSecond: 12_345,
  backAndForth: 0.3,
  waitP50: 1,
  waitP99: 12.3,
  commands: 2,
};
const stampedeBench: StampedeBenchResult = {
  results: [
    {
      guard: 'page/single-flight',
      isBeforeExpiry: true,
      rebuilds: 500,
      mostRebuilds: 500,
      mostStaleMs: 60_000,
      p50Ms: 10_000,
      p99Ms: 10_000,
      warmP50Ms: 1000,
      warmP99Ms: 1000,
      p99OfWarm: 100.25,
      refused: { 423: 500, 502: 500 },
    },
  ],
  killed: [
    {
      guard: 'page/single-flight',
      leaseMs: 10_000,
      rebuiltAfterMs: 30_000,
      longestWaitMs: 30_000,
      mostStaleMs: 30_000,
      refused: { 423: 500, 502: 500 },
    },
  ],
  conditions: {},
};

const lockBench = {
  roundTripsPerSecond: 23_456,
  contenders: ['token-lua, notify', '@microfleet/ioredis-lock 6.0.1', 'ioredis alone, no lock logic'].map(
    (name) => ({
      name,
      kind: 'ours' as const,
      alone: 12_345,
      alone32: 23_456,
      contended: { ...figures, fairness: 0.99 },
      rested: { ...figures, fairness: 0.99 },
      commandsBy: { '2': 2, '8': 2.1, '32': 2.2, '64': 2.3 },
    }),
  ),
  lossSignals: [
    { name: 'token-lua', afterMs: 3 },
    { name: 'redlock 4.2.0', afterMs: null, because: LONG },
  ],
  conditions: { redis: '7.0.15', mysql: '10.11.19-MariaDB-0+deb12u1' },
} as unknown as LockBenchResult;

const drillRuns = DRILLS.map((drill) => {
  const evidence = {
    strategy: 'setnx',
    initial: 1,
    final: 0,
    movements: [],
    buyers: [
      { name: 'A', code: 'APPLIED', text: '' },
      { name: 'B', code: 'LOCK.NOT_OBTAINED', text: '' },
    ],
    facts: [],
    figures: { 'milliseconds until a replica was promoted': 1234 },
    timeline: [{ at: 0, who: 'drill', what: LONG }],
  };
  return { drill, runs: [{ drill, evidence, verdict: judgeDrill(evidence, SAFE) }] };
});

const programs: Finding[] = (['always', 'on demand', 'optional'] as const).map((need) => ({
  name: 'redis-server',
  neededFor: LONG,
  need,
  get: { apt: 'apt-get install x', brew: 'brew install x', docker: 'docker compose up (x)' },
}));

const demo = [...SCENARIOS.values()].map((scenario) => ({ scenario, run: loadRun(killedHolder()) }));

describe.each([false, true])('no line is longer than 100 columns; --verbose %s', (verbose) => {
  const soakPlan = planSoak({ seed: 1, minutes: 6, components: ['redlock', 'replica'] });
  const soakRun = {
    plan: soakPlan,
    minutes: [minute],
    samples: [],
    verdict: {
      held: false,
      because: [LONG],
      fired: minute.fired,
      counted: 1,
      slopes: [{ replica: 'inventory-1', pid: 12_345, samples: 5, perMinute: null, leaks: [] }],
    },
  };
  const fuzzRun = {
    seed: 4_294_967_295,
    requests: 10_000,
    tally: new Map([
      [
        'POST /accounts/{account}/entries/{entry}/settlement @public',
        new Map([
          [201, 4],
          [400, 9],
        ]),
      ],
    ]),
    codes: new Map([['VALIDATION.FAILED', 9]]),
    findings: [
      { index: 1, endpoint: 'GET /', side: 'public', what: LONG, answer: 'x', curl: 'curl x' } as never,
    ],
    forbidden: 1,
    unchanged: 1,
    seconds: 1,
  };
  const witness = {
    kinds: ['oversold', 'lost-update'],
    sentences: [],
    mechanism: LONG,
    passes: 'fenced',
    token: 'v1.'.padEnd(91, 'x'),
    lanes: drawLanes(schedule(['A', 'B']), scheduleVerdict),
  };
  const setnx = findStrategy('setnx');
  const plan = planOf(setnx, CELLS.find(({ name }) => name === 'kill') ?? (undefined as never));

  test.each<[string, () => string]>([
    ['load', () => printRun(loadRun(collision()), 'runs/x', verbose)],
    ['open loop', () => printRun(openLoopRun(collision()), 'runs/x', verbose)],
    ['load with a fault', () => printRun(loadRun(killedHolder(), 'after(SET)=kill'), 'runs/x', verbose)],
    [
      'load whose fault never fired',
      () => printRun(loadRun(collision(), 'after(SETNX)=kill'), 'runs/x', verbose),
    ],
    ['verdict', () => printVerdict(judgeLoad(killedHolder(), SAFE), verbose)],
    ['demo', () => demoTable(demo, verbose)],
    ['drill', () => drillTable(drillRuns, verbose)],
    ['drill --timeline', () => drillRuns.map(({ runs }) => runs.map(printTimeline).join('\n')).join('\n')],
    [
      'explore',
      () =>
        printTally(setnx, plan, tally, 1, [witness, witness], { floor: 1, contradictions: [LONG], verbose }),
    ],
    ['replay of two buyers', () => printSchedule(schedule(['A', 'B']), scheduleVerdict)],
    ['replay of three buyers', () => printSchedule(schedule(['A', 'B', 'C']), scheduleVerdict)],
    [
      'nested',
      () =>
        printNested([
          {
            way: { name: 'waiting', shows: LONG } as never,
            history: schedule(['A', 'B']),
            verdict: scheduleVerdict,
            outcomes: ['APPLIED', 'LOCK.NOT_OBTAINED'],
            asExpected: true,
          },
        ]),
    ],
    ['matrix of one strategy', () => printMatrix([matrixRow], verbose)],
    ['matrix', () => printMatrix([matrixRow, { ...matrixRow, strategy: 'none' }], verbose)],
    ['strategies', () => printStrategies(CATALOGUE)],
    [
      'strategies NAME',
      () => {
        const { rows } = committedMatrix();
        return rows
          .map(({ strategy, cells }) =>
            printStrategy(findStrategy(strategy), cells, tellingCommand(strategy, cells)),
          )
          .join('\n');
      },
    ],
    ['soak --plan', () => printSoakPlan(soakPlan, verbose)],
    ['soak', () => printSoak(soakRun, verbose)],
    ['fuzz', () => printFuzz(fuzzRun, verbose)],
    ['crash-matrix', () => printCrashes([crash, { ...crash, finder: 'client', wrong: [] }], verbose)],
    [
      'lost-replies',
      () =>
        printLostReplies(
          CATALOGUE.map(({ name }) => ({
            strategy: name,
            asked: 'acquire',
            command: 'acquire-with-expiry',
            believes: 'DEPENDENCY.DOWN',
            truth: 'the lock is held, until its lease ends',
            next: 'LOCK.NOT_OBTAINED',
            violations: ['stuck', 'foreign-renewal'],
          })),
          verbose,
        ),
    ],
    ['doctor', () => printDoctor(programs, verbose)],
    [
      'bench locks: goals',
      () => printGoals([{ what: LONG, measured: '1.00', goal: 'at least 8', met: true }], verbose),
    ],
    ['bench locks: speeds', () => printSpeeds(lockBench, verbose)],
    ['bench locks: loss', () => printLossSignals(lockBench)],
    ['bench stampede', () => printStampede(stampedeBench)],
    ['bench http', () => printPairs({ pairs: [{ real: 1, bare: 2, ratio: 0.5 }] } as never)],
  ])('%s', (_, print) => {
    expectToFit(print());
  });
});

test('a run prints its verdict first, and no figure that is zero', () => {
  const text = printRun(loadRun(killedHolder()), 'runs/x', false);
  expect(text.split('\n')[0]).toBe(judgeLoad(killedHolder(), SAFE).headline);
  expect(text).not.toMatch(/oversold|lost updates|foreign|deadlocks/);
});

test('a run with a fault names its first request beside the others, because it is one more', () => {
  const runLine = (fault?: string): string | undefined =>
    /^run .*$/m.exec(printRun(loadRun(killedHolder(), fault), 'runs/x', false))?.[0];
  expect(runLine('after(SET)=kill')).toContain('500 orders after 1 with the fault, ');
  expect(runLine()).toContain('500 orders, ');
});

test('a table leaves out columns without content and wraps the widest column', () => {
  const table = renderTable({
    head: ['strategy', 'empty', 'zero', 'found'],
    rows: [
      ['none', '', 0, LONG],
      ['setnx', '', '0', 'nothing'],
    ],
  });
  expect(table).not.toMatch(/empty|zero/);
  expect(table.replace(/\s+/g, ' ')).toContain(LONG.replace(/\s+/g, ' ').trim());
  expectToFit(table);
});

test('a command that is too long for one line stays a valid shell command', () => {
  const token = 'x'.repeat(91);
  expect(shellCommand(`npx lab replay ${token}`, 2)).toBe(`  npx lab replay \\\n    ${token}`);
  const load =
    'npx lab load --strategy setnx --stock 50 --requests 200 --connections 50 --replicas 3 --work-ms 10 --lease-ms 1000';
  expect(shellCommand(load, 2)).toBe(
    '  npx lab load --strategy setnx --stock 50 --requests 200 --connections 50 --replicas 3 \\\n    --work-ms 10 --lease-ms 1000',
  );
});

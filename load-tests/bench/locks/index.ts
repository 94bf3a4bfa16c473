import type { Component } from '#lab/step';
import { startProcesses, type Conditions, type Stack } from '#lab/stack';
import { Redis } from 'ioredis';
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { median } from '#load-tests/figures';
import { CONTENDERS, type Addresses, type Contender, type Kind } from './contenders';
import { ContenderProcesses } from './contender-processes';
import { figuresOf, type Figures } from './figures';
import { lossSignals, type LossSignal } from './loss';
import type { BenchTask } from './worker';

export interface LockBenchOptions {
  readonly repeats: number;
  /** Duration of one measurement, milliseconds. */
  readonly measureMs: number;
  /** Only contenders whose name contains this. */
  readonly only?: string;
  readonly dir: string;
  readonly signal?: AbortSignal;
  readonly onStart: (stop: () => Promise<void>) => void;
  readonly onProgress: (text: string) => void;
}

/** Medians over all repeats of one contender. */
export interface ContenderResult {
  readonly name: string;
  readonly kind: Kind;
  /** Acquisitions per second: one waiter, and 32 waiters with a key each. */
  readonly alone: number;
  readonly alone32: number;
  /** 2 processes × 16 waiters on one key, with an empty section. */
  readonly contended: Figures;
  /** As `contended`, but each waiter pauses 1 ms after its release. */
  readonly rested: Figures;
  /** Commands per acquisition, by the total number of waiters in 2 processes. */
  readonly commandsBy: Readonly<Record<string, number>>;
}

export interface LockBenchResult {
  /** Sequential PINGs per second. */
  readonly roundTripsPerSecond: number;
  readonly contenders: readonly ContenderResult[];
  readonly lossSignals: readonly LossSignal[];
  readonly conditions: Conditions;
}

const WARM_UP_MS = 300;
const WAITER_COUNTS = [2, 8, 32, 64];

const chosen = (only = ''): Contender[] => CONTENDERS.filter(({ name }) => name.includes(only));

/** The servers that the bench needs besides Redis. */
export const benchComponents = (only?: string): Component[] =>
  chosen(only).flatMap(({ needs }) => needs ?? []);

/** Measures every contender once per repeat, so that changes in the load of the machine affect all of them. */
export async function benchLocks(options: LockBenchOptions): Promise<LockBenchResult> {
  const { repeats, onProgress, signal } = options;
  const loadBefore = loadavg()[0] ?? NaN;
  onProgress('starting the servers');
  const contenders = chosen(options.only);
  const stack: Stack = await startProcesses({
    components: benchComponents(options.only),
    dir: join(options.dir, `bench-locks-${process.pid}`),
    replicas: { order: 0, inventory: 0 },
    lab: false,
    ...(signal && { signal }),
  });
  const workers = ContenderProcesses.start(2);
  options.onStart(async () => {
    workers.stop();
    await stack.stop();
  });
  const redis = new Redis(stack.urls.redis);
  const runs = new Map<string, ContenderResult[]>();
  const trips: number[] = [];
  const bench = new Bench(workers, redis, stack.urls, options.measureMs);
  for (let i = 1; i <= repeats; i++)
    for (const contender of contenders) {
      const { name, kind } = contender;
      signal?.throwIfAborted();
      onProgress(`run ${i} of ${repeats}: ${name}`);
      trips.push(await roundTrips(redis));
      runs.set(name, [...(runs.get(name) ?? []), { name, kind, ...(await bench.contender(contender)) }]);
    }
  onProgress('measuring how fast holders notice a lost lock on a dead network');
  const signals = await lossSignals(stack.urls.redis);
  const conditions = {
    ...(await stack.conditions()),
    repeats,
    measureMs: options.measureMs,
    node: process.version,
    loadOneMinute: loadBefore,
    loadOneMinuteAfter: loadavg()[0] ?? NaN,
    commit: commit(options.dir),
  };
  redis.disconnect();
  workers.stop();
  await stack.stop();
  return {
    roundTripsPerSecond: median(trips),
    contenders: [...runs.values()].map(mediansOf),
    lossSignals: signals,
    conditions,
  };
}

class Bench {
  constructor(
    private readonly workers: ContenderProcesses,
    private readonly redis: Redis,
    private readonly addresses: Addresses,
    private readonly measureMs: number,
  ) {}

  async contender({ name, kind }: Contender): Promise<Omit<ContenderResult, 'name' | 'kind'>> {
    const processes = kind === 'ceiling' ? 1 : 2; // its waiters queue inside one process
    const one = { processes: 1, waiters: 1, keys: 1 };
    const alone = await this.experiment(name, one);
    const alone32 = await this.experiment(name, { ...one, waiters: 32, keys: 32 });
    const contended = await this.experiment(name, { processes, waiters: 32, keys: 1 });
    const rested = await this.experiment(name, { processes, waiters: 32, keys: 1, pauseMs: 1 });
    const commandsBy: Record<string, number> = {};
    for (const waiters of WAITER_COUNTS)
      commandsBy[waiters] = (await this.experiment(name, { processes, waiters, keys: 1 })).commands;
    return { alone: alone.perSecond, alone32: alone32.perSecond, contended, rested, commandsBy };
  }

  private async experiment(
    contender: string,
    {
      processes,
      waiters,
      keys,
      pauseMs = 0,
    }: { processes: number; waiters: number; keys: number; pauseMs?: number },
  ): Promise<Figures> {
    await this.redis.flushall();
    const { measureMs, addresses } = this;
    const tasks: BenchTask[] = Array.from({ length: processes }, (_, p) => ({
      contender,
      addresses,
      pauseMs,
      warmUpMs: WARM_UP_MS,
      measureMs,
      waiters: Array.from({ length: waiters / processes }, (_w, w) => ({
        name: `${p}-${w}`,
        key: `bench-${w % keys}`,
      })),
    }));
    return figuresOf(await this.workers.run(tasks), waiters, measureMs);
  }
}

/** The measured commit; `+` marks uncommitted changes. */
function commit(dir: string): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, {
        cwd: join(dir, '..'),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+'}`;
  } catch {
    return 'unknown: not a git repository';
  }
}

async function roundTrips(redis: Redis): Promise<number> {
  const pings = 3000;
  const begun = performance.now();
  for (let i = 0; i < pings; i++) await redis.ping();
  return (1000 * pings) / (performance.now() - begun);
}

function mediansOf(runs: readonly ContenderResult[]): ContenderResult {
  const [first] = runs;
  if (first === undefined) throw new Error('no run was measured');
  const of = (pick: (run: ContenderResult) => number): number => median(runs.map(pick));
  const figures = (which: 'contended' | 'rested'): Figures => ({
    perSecond: of((run) => run[which].perSecond),
    handOversPerSecond: of((run) => run[which].handOversPerSecond),
    backAndForth: of((run) => run[which].backAndForth),
    waitP50: of((run) => run[which].waitP50),
    waitP99: of((run) => run[which].waitP99),
    commands: of((run) => run[which].commands),
    fairness: of((run) => run[which].fairness),
  });
  return {
    name: first.name,
    kind: first.kind,
    alone: of(({ alone }) => alone),
    alone32: of(({ alone32 }) => alone32),
    contended: figures('contended'),
    rested: figures('rested'),
    commandsBy: Object.fromEntries(
      Object.keys(first.commandsBy).map((waiters) => [
        waiters,
        of(({ commandsBy }) => commandsBy[waiters] ?? NaN),
      ]),
    ),
  };
}

import { ensureInstalled, projectRoot, type Stack } from '#lab/stack';
import { Option, type Command } from 'commander';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchConsole, benchHttp, benchOverload, GUARD_KINDS, seamCost } from '#load-tests/bench';
import { runCommand, writeJson, type Context } from '../command';
import { startConsole } from '../console';
import { EXIT, Failure } from '../failure';
import { printGoals, printOverload, printPairs, type Goal } from '../print/bench';
import { guards, type GuardsOptions } from './bench-guards';
import { locks, type LocksOptions } from './bench-locks';
import { stampede, type StampedeOptions } from './bench-stampede';
import { whole } from './numbers';

/** The performance goals of `lab bench http`. */
const GOALS = { ratio: 0.75, seamMicroseconds: 2, restingMb: 150 };

/** Goodput at five times the capacity, as a share of the peak. */
const SHARE_UNDER_OVERLOAD = 0.8;

interface OverloadOptions {
  readonly seconds: number;
  readonly repeats: number;
  readonly products: number;
  readonly json?: string;
}

/** The goals of `lab bench console`. */
const CONSOLE_GOALS = { clickP99Ms: 100, totalMb: 1500 };

interface ConsoleOptions {
  readonly steppers: number;
  readonly readers: number;
  readonly seconds: number;
  readonly json?: string;
}

interface HttpOptions {
  readonly pairs: number;
  readonly requests: number;
  readonly connections: number;
  readonly products: number;
  readonly json?: string;
}

export function register(program: Command): void {
  const bench = program.command('bench').description('measure throughput, latency and memory');
  bench
    .command('http')
    .description(
      'compare the sales/s of the real apps with bare handlers: same statements, same network hops',
    )
    .option('--pairs <n>', 'runs of each side, alternating', whole(1, 100), 7)
    .option('--requests <n>', 'orders per run', whole(100, 100_000), 2000)
    .option('--connections <n>', 'concurrent buyers', whole(1, 1000), 50)
    .option('--products <n>', 'products, ordered in turn', whole(1, 1000), 1)
    .option('--json <file>', 'write the result as JSON')
    .action((options: HttpOptions) => runCommand((context) => http(options, context)));
  bench
    .command('overload')
    .description(
      'goodput against offered load, 0.25 to 5 times the capacity: orders arrive however fast the answers are',
    )
    .option('--seconds <n>', 'duration of each rate', whole(1, 60), 5)
    .option('--repeats <n>', 'curves: the median decides', whole(1, 20), 3)
    .option('--products <n>', 'products, ordered in turn', whole(1, 1000), 16)
    .option('--json <file>', 'write the result as JSON')
    .action((options: OverloadOptions) => runCommand((context) => overload(options, context)));
  bench
    .command('console')
    .description('clicks on the Step page, alone and with a class, and the memory of the console')
    .option('--steppers <n>', 'readers who step through schedules', whole(1, 200), 30)
    .option('--readers <n>', 'readers of the events of an exploration', whole(0, 500), 60)
    .option('--seconds <n>', 'duration', whole(2, 600), 20)
    .option('--json <file>', 'write the result as JSON')
    .action((options: ConsoleOptions) => runCommand((context) => consoleClicks(options, context)));
  bench
    .command('guards')
    .description(
      'rate limiters beside npm packages and bare ioredis; guards of actions beside the unprotected action',
    )
    .addOption(new Option('--only <kind>', 'only these guards').choices(GUARD_KINDS))
    .option('--repeats <n>', 'runs per guard', whole(1, 50), 5)
    .option('--measure-ms <ms>', 'duration of one measurement of a limiter', whole(200, 60_000), 1000)
    .option('--json <file>', 'write the result as JSON')
    .action((options: GuardsOptions) => runCommand((context) => guards(options, context)));
  bench
    .command('locks')
    .description(
      'compare the locks of this project with npm packages: alone, with many waiters, cut off from Redis',
    )
    .option('--repeats <n>', 'runs per lock', whole(1, 50), 3)
    .option('--measure-ms <ms>', 'duration of one measurement', whole(200, 60_000), 1000)
    .option('--only <text>', 'only the locks whose name contains this text')
    .option('--verbose', 'also print the second experiment, figures without a goal, and the conditions')
    .option('--json <file>', 'write the result as JSON')
    .action((options: LocksOptions) => runCommand((context) => locks(options, context)));

  bench
    .command('stampede')
    .description(
      'readers of one page at the moment of its expiry, under each guard, and after a killed builder',
    )
    .option('--readers <n>', 'readers, all at the same moment', whole(2, 1000), 500)
    .option('--repeats <n>', 'expiries for each guard: medians', whole(1, 100), 11)
    .option('--json <file>', 'write the result as JSON')
    .action((options: StampedeOptions) => runCommand((context) => stampede(options, context)));
}

/** Installs what is missing, and returns what every benchmark of the shop needs besides its own options. */
async function prepareShop({ progress, signal, onEnd }: Context) {
  const onProgress = (text: string): void => {
    progress.say(text);
  };
  await ensureInstalled(onProgress);
  return {
    replicas: 2,
    dir: join(projectRoot(), '.lab'),
    signal,
    onStart: (stack: Pick<Stack, 'stop'>): void => {
      onEnd(() => stack.stop());
    },
    onProgress,
  };
}

async function http({ json, ...options }: HttpOptions, context: Context): Promise<number> {
  const shop = await prepareShop(context);
  context.progress.say('measuring step() without a listener');
  const seamMicroseconds = await seamCost();
  const result = await benchHttp({
    ...options,
    ...shop,
  });
  const restingMb = Math.max(...Object.values(result.restingMb));
  const goals: Goal[] = [
    {
      what: 'real / bare, median',
      measured: result.medianRatio.toFixed(2),
      goal: `at least ${GOALS.ratio}`,
      met: result.medianRatio >= GOALS.ratio,
    },
    {
      what: 'step() without a listener',
      measured: `${seamMicroseconds.toFixed(3)} µs`,
      goal: `at most ${GOALS.seamMicroseconds} µs`,
      met: seamMicroseconds <= GOALS.seamMicroseconds,
    },
    {
      what: 'replica at rest (RSS)',
      measured: `${restingMb.toFixed(0)} MB`,
      goal: `at most ${GOALS.restingMb} MB`,
      met: restingMb <= GOALS.restingMb,
    },
  ];
  process.stdout.write(`${printGoals(goals, false)}\n\n${printPairs(result)}\n`);
  const met = goals.every((one) => one.met);
  if (json !== undefined) writeJson(json, { ...result, seamMicroseconds, goals: GOALS, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

async function overload({ json, ...options }: OverloadOptions, context: Context): Promise<number> {
  const shop = await prepareShop(context);
  const result = await benchOverload({
    ...options,
    ...shop,
  });
  const met = result.medianShareAtMost >= SHARE_UNDER_OVERLOAD;
  const goal: Goal = {
    what: 'goodput at the highest rate / peak, median',
    measured: result.medianShareAtMost.toFixed(2),
    goal: `at least ${SHARE_UNDER_OVERLOAD}`,
    met,
  };
  process.stdout.write(`${printGoals([goal], false)}\n\n${result.curves.map(printOverload).join('\n\n')}\n`);
  if (json !== undefined) writeJson(json, { ...result, goal: SHARE_UNDER_OVERLOAD, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

async function consoleClicks({ json, ...options }: ConsoleOptions, context: Context): Promise<number> {
  const { progress, signal, onEnd } = context;
  const onProgress = (text: string): void => {
    progress.say(text);
  };
  await ensureInstalled(onProgress);
  const dir = join(projectRoot(), '.lab', `bench-console-${process.pid}`);
  const page = await startConsole({ dir, port: 0, isClass: false, signal, onCrash: onProgress });
  if (page === undefined) throw new Failure('the console did not start', EXIT.notAsExpected);
  onEnd(async () => {
    await page.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const result = await benchConsole({ ...options, console: page, signal, onProgress });
  const { alone, together, busy, totalMb } = result;
  const goals: Goal[] = [
    {
      what: 'a click, one reader, p99',
      measured: milliseconds(alone.p99),
      goal: `at most ${CONSOLE_GOALS.clickP99Ms} ms`,
      met: alone.p99 <= CONSOLE_GOALS.clickP99Ms,
    },
    {
      what: 'console and its servers (RSS)',
      measured: `${totalMb.toFixed(0)} MB`,
      goal: `at most ${CONSOLE_GOALS.totalMb} MB`,
      met: totalMb <= CONSOLE_GOALS.totalMb,
    },
    { what: 'a click, one reader, p50', measured: milliseconds(alone.p50), met: true },
    { what: `a click, ${options.steppers} readers, p50`, measured: milliseconds(together.p50), met: true },
    { what: 'the same, p99', measured: milliseconds(together.p99), met: true },
    { what: 'the same during an exploration, p50', measured: milliseconds(busy.p50), met: true },
    { what: 'the same, p99', measured: milliseconds(busy.p99), met: true },
  ];
  process.stdout.write(`${printGoals(goals, true)}\n`);
  const met = goals.every((one) => one.met);
  if (json !== undefined) writeJson(json, { ...result, goals: CONSOLE_GOALS, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

const milliseconds = (ms: number): string => `${ms.toFixed(0)} ms`;

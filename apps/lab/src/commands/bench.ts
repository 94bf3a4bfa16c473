import { ensureInstalled, projectRoot } from '#lab/stack';
import Table from 'cli-table3';
import type { Command } from 'commander';
import { join } from 'node:path';
import { benchHttp, seamCost, type BenchResult } from '#load-tests/bench';
import { runCommand, writeJson, type Context } from '../command';
import { EXIT } from '../failure';
import { locks, type LocksOptions } from './bench-locks';
import { whole } from './load';

/** What the house promises about its speed. */
const GOALS = { ratio: 0.7, seamMicroseconds: 2, restingMb: 150 };

interface HttpOptions {
  readonly pairs: number;
  readonly requests: number;
  readonly connections: number;
  readonly products: number;
  readonly json?: string;
}

export function register(program: Command): void {
  const bench = program.command('bench').description('measure what the house costs');
  bench
    .command('http')
    .description('sales/s of the real apps against bare handlers with the same statements over the same hops')
    .option('--pairs <n>', 'runs of each side, alternating', whole(1, 100), 7)
    .option('--requests <n>', 'orders of one run', whole(100, 100_000), 2000)
    .option('--connections <n>', 'buyers at a time', whole(1, 1000), 50)
    .option('--products <n>', 'products that the orders go round', whole(1, 1000), 1)
    .option('--json <file>', 'write the result as JSON')
    .action((options: HttpOptions) => runCommand((context) => http(options, context)));
  bench
    .command('locks')
    .description('locks of this house and of npm, side by side: alone, with many waiters, cut off from Redis')
    .option('--repeats <n>', 'runs of each lock', whole(1, 50), 3)
    .option('--measure-ms <ms>', 'how long one experiment is measured', whole(200, 60_000), 1000)
    .option('--only <text>', 'locks whose name contains this')
    .option('--json <file>', 'write the result as JSON')
    .action((options: LocksOptions) => runCommand((context) => locks(options, context)));
}

async function http(
  { json, ...options }: HttpOptions,
  { progress, signal, onEnd }: Context,
): Promise<number> {
  await ensureInstalled((line) => {
    progress.say(line);
  });
  progress.say('the seam, with no listener');
  const seamMicroseconds = await seamCost();
  const result = await benchHttp({
    ...options,
    replicas: 2,
    dir: join(projectRoot(), '.lab'),
    signal,
    onStart: (stack) => {
      onEnd(() => stack.stop());
    },
    onProgress: (text) => {
      progress.say(text);
    },
  });
  const restingMb = Math.max(...Object.values(result.restingMb));
  const goals = [
    goal(
      'real / bare, median',
      result.medianRatio.toFixed(2),
      `at least ${GOALS.ratio}`,
      result.medianRatio >= GOALS.ratio,
    ),
    goal(
      'step() with no listener',
      `${seamMicroseconds.toFixed(3)} µs`,
      `at most ${GOALS.seamMicroseconds} µs`,
      seamMicroseconds <= GOALS.seamMicroseconds,
    ),
    goal(
      'replica at rest (RSS)',
      `${restingMb.toFixed(0)} MB`,
      `at most ${GOALS.restingMb} MB`,
      restingMb <= GOALS.restingMb,
    ),
  ];
  process.stdout.write(`${pairsTable(result)}\n${goalsTable(goals)}\n`);
  const met = goals.every((one) => one.met);
  if (json !== undefined) writeJson(json, { ...result, seamMicroseconds, goals: GOALS, met });
  return met ? EXIT.ok : EXIT.notAsExpected;
}

interface Goal {
  readonly cells: readonly string[];
  readonly met: boolean;
}

const goal = (what: string, measured: string, wanted: string, met: boolean): Goal => ({
  cells: [what, measured, wanted, met ? 'yes' : 'NO'],
  met,
});

const PLAIN = { style: { head: [], border: [] } };

function pairsTable({ pairs }: BenchResult): string {
  const table = new Table({ head: ['pair', 'real, sales/s', 'bare, sales/s', 'real / bare'], ...PLAIN });
  for (const [i, { real, bare, ratio }] of pairs.entries())
    table.push([i + 1, Math.round(real), Math.round(bare), ratio.toFixed(2)]);
  return table.toString();
}

function goalsTable(goals: readonly Goal[]): string {
  const table = new Table({ head: ['what', 'measured', 'goal', 'met'], ...PLAIN });
  for (const { cells } of goals) table.push([...cells]);
  return table.toString();
}

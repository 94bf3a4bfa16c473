import { ensureInstalled, projectRoot, startProcesses } from '#lab/stack';
import { count, unknownName } from '#lab/step';
import type { Command } from 'commander';
import { join } from 'node:path';
import {
  ALL_LIMITERS,
  inventoryWithPeers,
  LimitRunner,
  rowsOf,
  titleOf,
  type LimitRun,
} from '#load-tests/limits';
import { runCommand, writeJson, type Context } from '../command';
import { EXIT, Failure } from '../failure';
import { prune } from '../housekeeping';
import { limitLine, limitTable } from '../print/limit';
import { wrap } from '../print/wrap';
import { whole } from './numbers';

interface LimitOptions {
  readonly repeats: number;
  readonly list?: true;
  readonly verbose?: true;
  readonly json?: string;
}

export function register(program: Command): void {
  program
    .command('limit')
    .description(
      'run rate limiters, and npm packages beside them, under load on two replicas, and judge what they admitted',
    )
    .argument('[names...]', 'limiters (all)')
    .option('--repeats <n>', 'runs per row, the first one also under a steady load', whole(1, 1000), 1)
    .option('--list', 'list the limiters without running them')
    .option('--verbose', 'also print the reasons, and more figures')
    .option('--json <file>', 'write the verdicts as JSON')
    .action((names: string[], options: LimitOptions) => {
      if (options.list !== true) return runCommand((context) => limit(names, options, context));
      for (const { name, mechanism } of chosen(names))
        process.stdout.write(`${wrap(`${name}: ${mechanism}`, 2)}\n`);
      return undefined;
    });
}

/** The limiters with these names; all without names. Throws `Failure` for an unknown one. */
function chosen(names: readonly string[]): typeof ALL_LIMITERS {
  const known = ALL_LIMITERS.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Failure(unknownName('limiter', unknown, known), EXIT.usage);
  return names.length === 0 ? ALL_LIMITERS : ALL_LIMITERS.filter(({ name }) => names.includes(name));
}

async function limit(names: readonly string[], options: LimitOptions, context: Context): Promise<number> {
  const { progress, signal, onEnd } = context;
  const rows = chosen(names).flatMap(rowsOf);
  const say = (line: string): void => {
    progress.say(line);
  };
  await prune(say);
  await ensureInstalled(say);
  const stack = await startProcesses({
    dir: join(projectRoot(), '.lab', `limit-${process.pid}`),
    replicas: { order: 0, inventory: 2 },
    entries: { inventory: inventoryWithPeers() },
    lab: true,
    signal,
    onProgress: say,
  });
  onEnd(() => stack.stop());
  const runner = new LimitRunner(stack);
  onEnd(() => runner.close());
  const all: LimitRun[][] = [];
  for (const [i, row] of rows.entries()) {
    const runs: LimitRun[] = [];
    for (let n = 1; n <= options.repeats; n++) {
      signal.throwIfAborted();
      progress.update(`[${i + 1}/${rows.length}] ${titleOf(row)}: run ${n} of ${options.repeats}`);
      runs.push(
        await runner.run(row, n === 1 ? 'two-windows' : undefined, (because) => {
          say(`${titleOf(row)} proved nothing and is repeated: ${because}`);
        }),
      );
    }
    all.push(runs);
    say(`[${i + 1}/${rows.length}] ${limitLine(runs)}`);
  }
  const expected = all.filter(isAsExpected);
  process.stdout.write(
    `${expected.length} of ${count(all.length, 'row')} as documented\n${limitTable(all, options.verbose === true)}\n`,
  );
  if (options.json !== undefined)
    writeJson(options.json, { rows: all.map(rowJson), conditions: await stack.conditions() });
  return expected.length === all.length ? EXIT.ok : EXIT.notAsExpected;
}

const isAsExpected = (runs: readonly LimitRun[]): boolean => runs.every(({ verdict }) => verdict.asExpected);

const rowJson = (runs: readonly LimitRun[]): object => ({
  runs: runs.map(({ row: { limiter, ...row }, ...run }) => ({ limiter: limiter.name, ...row, ...run })),
});

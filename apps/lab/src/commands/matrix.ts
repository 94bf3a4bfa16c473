import { CELLS, exploreMatrix, renderMatrix, type MatrixRow } from '#lab/explore';
import { projectRoot } from '#lab/stack';
import { CATALOGUE, type Strategy } from '#lab/strategy';
import type { Command } from 'commander';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { runCommand, writeJson, type Context } from '../command';
import { openWorkshop } from '../explorer';
import { EXIT } from '../failure';
import { whole } from './load';
import { readStrategy } from './explore';

interface MatrixOptions {
  readonly workers: number;
  readonly max: number;
  readonly enough: number;
  readonly out: string;
  readonly json?: string;
}

export function register(program: Command): void {
  program
    .command('matrix')
    .argument('[strategies...]', 'which strategies (all)')
    .description('explore every strategy in every circumstance; writes docs/matrix.md and .json')
    .option('--workers <n>', 'threads', whole(1, 8), 2)
    .option('--max <n>', 'schedules of one circumstance at most', whole(1, 1_000_000), 20_000)
    .option(
      '--enough <n>',
      'schedules after which a failure that nobody promised against is enough',
      whole(1, 1_000_000),
      1000,
    )
    .option('--out <folder>', 'where matrix.md and matrix.json go', join(projectRoot(), 'docs'))
    .option('--json <file>', 'write the matrix here too')
    .action((names: string[], options: MatrixOptions) =>
      runCommand(async (context) =>
        makeMatrix(names.length === 0 ? CATALOGUE : names.map(readStrategy), options, context),
      ),
    );
}

async function makeMatrix(
  strategies: readonly Strategy[],
  options: MatrixOptions,
  context: Context,
): Promise<number> {
  const { progress, signal, onEnd } = context;
  const { crew, conditions, stop } = await openWorkshop(context, options.workers, strategies);
  onEnd(stop);
  const begun = performance.now();
  let done = 0;
  let schedules = 0;
  const unexpected: string[] = [];
  const write = (name: string, rows: readonly MatrixRow[]): object => {
    const seconds = (performance.now() - begun) / 1000;
    const all = {
      ...conditions,
      schedules,
      seconds: Math.round(seconds),
      schedulesPerSecond: Math.round(schedules / seconds),
    };
    mkdirSync(options.out, { recursive: true });
    writeFileSync(join(options.out, `${name}.md`), `${renderMatrix(rows, all)}\n`);
    writeJson(join(options.out, `${name}.json`), { rows, conditions: all });
    return { rows, conditions: all };
  };
  const rows = await exploreMatrix(crew, strategies, {
    signal,
    max: options.max,
    enough: options.enough,
    onCell: ({ name }, cell) => {
      done++;
      schedules += cell.schedules;
      for (const sentence of cell.contradictions) unexpected.push(`${name}, ${cell.cell}: ${sentence}`);
      const rate = Math.round((1000 * schedules) / (performance.now() - begun));
      progress.update(
        `${done}/${strategies.length * CELLS.length} ${name}: ${cell.cell} ${cell.mark}; ${rate} schedules/s`,
      );
    },
    onRows: (sofar) => {
      write('matrix.partial', sofar);
    },
  });
  const seconds = (performance.now() - begun) / 1000;
  progress.clear();
  if (signal.aborted) {
    progress.say(`ended early: what was explored until then is in ${join(options.out, 'matrix.partial.md')}`);
    return EXIT.notAsExpected;
  }
  const matrix = write('matrix', rows);
  for (const ending of ['md', 'json']) rmSync(join(options.out, `matrix.partial.${ending}`), { force: true });
  if (options.json !== undefined) writeJson(options.json, matrix);
  process.stdout.write(
    `${schedules} schedules in ${seconds.toFixed(1)} s; ${join(options.out, 'matrix.md')}\n` +
      unexpected.map((line) => `not as the catalogue says: ${line}\n`).join(''),
  );
  return unexpected.length === 0 ? EXIT.ok : EXIT.notAsExpected;
}

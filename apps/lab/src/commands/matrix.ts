import { CELLS, exploreMatrix, renderMatrix, type MatrixRow } from '#lab/explore';
import type { Conditions } from '#lab/stack';
import { count } from '#lab/step';
import { CATALOGUE, type Strategy } from '#lab/strategy';
import { InvalidArgumentError, type Command } from 'commander';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { runCommand, writeJson, type Context } from '../command';
import { openExplorer } from '../explorer';
import { EXIT, Failure, partOnly } from '../failure';
import { whole } from './load';
import { readStrategy } from './explore';

interface MatrixOptions {
  readonly workers: number;
  readonly max: number;
  readonly enough: number;
  readonly unreduced: number;
  readonly known?: string;
  readonly docs?: string;
  readonly json?: string;
}

export function register(program: Command): void {
  program
    .command('matrix')
    .argument('[strategies...]', 'which strategies (all)')
    .description('explore every strategy in every circumstance, and print what was found')
    .option('--workers <n>', 'threads', whole(1, 8), 2)
    .option('--max <n>', 'schedules of one circumstance at most', whole(1, 1_000_000), 20_000)
    .option('--known <file>', 'JSON of an earlier run: only what it has not decided is explored again')
    .option(
      '--unreduced <n>',
      'also run every interleaving, without reduction, where there are at most so many',
      whole(0, 1_000_000),
      0,
    )
    .option(
      '--enough <n>',
      'schedules after which a search that has found wrong data ends',
      whole(1, 1_000_000),
      1000,
    )
    .option(
      '--docs <file>',
      'write all strategies there, and beside it as .json: docs/matrix.md',
      readMarkdownFile,
    )
    .option('--json <file>', 'write the matrix as JSON')
    .action((names: string[], options: MatrixOptions) =>
      runCommand(async (context) => {
        if (names.length > 0 && options.docs !== undefined) throw partOnly('matrix', 'the strategies');
        return makeMatrix(names.length === 0 ? CATALOGUE : names.map(readStrategy), options, context);
      }),
    );
}

/** Reads the name of a page that has a `.json` beside it, or refuses. */
function readMarkdownFile(file: string): string {
  if (file.endsWith('.md')) return file;
  throw new InvalidArgumentError('It must end with .md: the same with .json is written beside it.');
}

/** The rows of an earlier run, as `--json` or `--docs` wrote them. */
function readRows(file: string): readonly MatrixRow[] {
  try {
    const { rows } = JSON.parse(readFileSync(file, 'utf8')) as { rows: readonly MatrixRow[] };
    if (Array.isArray(rows)) return rows as readonly MatrixRow[];
  } catch {
    // the sentence below is about it
  }
  throw new Failure(
    `${file} is no matrix: give --known a file that lab matrix --json or --docs has written`,
    EXIT.usage,
  );
}

async function makeMatrix(
  strategies: readonly Strategy[],
  options: MatrixOptions,
  context: Context,
): Promise<number> {
  const { progress, signal, onEnd } = context;
  const { pool, conditions, stop } = await openExplorer(context, options.workers, strategies);
  onEnd(stop);
  const begun = performance.now();
  let done = 0;
  let schedules = 0;
  const unexpected: string[] = [];
  const conditionsNow = (): Conditions => {
    const seconds = (performance.now() - begun) / 1000;
    return {
      ...conditions,
      schedules,
      seconds: Math.round(seconds),
      schedulesPerSecond: Math.round(schedules / seconds),
    };
  };
  /** Writes the page and, beside it, the same as JSON. */
  const writePage = (page: string, all: readonly MatrixRow[]): void => {
    writeFileSync(page, `${renderMatrix(all, conditionsNow())}\n`);
    writeJson(page.replace(/md$/, 'json'), { rows: all, conditions: conditionsNow() });
  };
  const partial = options.docs?.replace(/md$/, 'partial.md');
  let sofar: readonly MatrixRow[] = [];
  let isOver = false;
  onEnd(() => {
    if (!isOver && partial === undefined && sofar.length > 0)
      process.stdout.write(`${renderMatrix(sofar, conditionsNow())}\n`);
    if (!isOver && partial !== undefined && sofar.length > 0)
      progress.say(`ended early: what was explored until then is in ${partial}`);
    return Promise.resolve();
  });
  const rows = await exploreMatrix(pool, strategies, {
    signal,
    max: options.max,
    enough: options.enough,
    unreduced: options.unreduced,
    ...(options.known !== undefined && { known: readRows(options.known) }),
    onCell: ({ name }, cell) => {
      done++;
      schedules += cell.schedules;
      for (const sentence of cell.contradictions) unexpected.push(`${name}, ${cell.cell}: ${sentence}`);
      const rate = Math.round((1000 * schedules) / (performance.now() - begun));
      progress.update(
        `${done}/${strategies.length * CELLS.length} ${name}: ${cell.cell} ${cell.mark}; ${rate} schedules/s`,
      );
    },
    onRows: (rowsSoFar) => {
      sofar = rowsSoFar;
      if (partial !== undefined) writePage(partial, sofar); // it takes long: what there is is kept
    },
  });
  progress.clear();
  signal.throwIfAborted(); // a part is no matrix
  isOver = true;
  const seconds = (performance.now() - begun) / 1000;
  const { docs } = options;
  if (docs === undefined) process.stdout.write(`${renderMatrix(rows, conditionsNow())}\n`);
  else {
    writePage(docs, rows);
    for (const ending of ['md', 'json']) rmSync(docs.replace(/md$/, `partial.${ending}`), { force: true });
  }
  if (options.json !== undefined) writeJson(options.json, { rows, conditions: conditionsNow() });
  process.stdout.write(
    `${count(schedules, 'schedule')} in ${seconds.toFixed(1)} s${docs === undefined ? '' : `; ${docs}`}\n` +
      unexpected.map((line) => `not as the catalogue says: ${line}\n`).join(''),
  );
  return unexpected.length === 0 ? EXIT.ok : EXIT.notAsExpected;
}

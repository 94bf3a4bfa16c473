import {
  CELLS,
  COUNTED_SCHEDULES,
  exploreMatrix,
  renderMatrix,
  SUMMARY_COLUMNS,
  type MatrixRow,
} from '#lab/explore';
import type { Conditions } from '#lab/stack';
import { count } from '#lab/step';
import { CATALOGUE, type Strategy } from '#lab/strategy';
import { InvalidArgumentError, type Command } from 'commander';
import { rmSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { readEarlierRun, runCommand, writeJson, type Context } from '../command';
import { openExplorers } from '../explorer';
import { EXIT, partOnly } from '../failure';
import { printConditions, printMatrix, printSummary } from '../print/matrix';
import { wrap } from '../print/wrap';
import { exploreLibraries } from './libraries';
import { timeOption, whole } from './numbers';
import { readStrategy } from './explore';

interface MatrixOptions {
  readonly workers: number;
  readonly max: number;
  readonly enough?: number;
  readonly summary?: true;
  readonly orders?: true;
  readonly known?: string;
  readonly docs?: string;
  readonly verbose?: true;
  readonly json?: string;
  readonly libraries?: true;
  readonly budget: number;
}

export function register(program: Command): void {
  program
    .command('matrix')
    .argument('[strategies...]', 'strategies (all); with --libraries: recipes (all)')
    .description('explore strategies in every circumstance, and print marks and violations')
    .option('--workers <n>', 'worker threads', whole(1, 8), 2)
    .option('--max <n>', 'maximum number of schedules per circumstance', whole(1, 1_000_000), 20_000)
    .option(
      '--known <file>',
      'JSON of an earlier run; only circumstances that it left undecided, with fewer than --max schedules, are explored',
    )
    .option('--summary', 'only the eight circumstances of the summary, and only their marks, as one table')
    .option(
      '--enough <n>',
      'schedules after which a search ends if it has found wrong data (default: 1000; with --summary: 1)',
      whole(1, 1_000_000),
    )
    .option(
      '--orders',
      `also count all orders of steps where a fault goes wrong, in at most ${COUNTED_SCHEDULES} more schedules each`,
    )
    .option(
      '--docs <file>',
      'write the page of all strategies, and the same data as .json: docs/matrix.md',
      readMarkdownFile,
    )
    .option('--verbose', 'also print every shortest schedule, the counts of all orders, and conditions')
    .option('--json <file>', 'write the matrix as JSON')
    .option('--libraries', 'explore npm lock libraries instead: the recipes in libs/libraries')
    .addOption(
      timeOption(
        '--budget <time>',
        'with --libraries: time for each recipe, e.g. 30s or 5m; 0: no limit',
        60,
      ),
    )
    .action((names: string[], options: MatrixOptions) =>
      runCommand(async (context) => {
        if (options.docs !== undefined && (names.length > 0 || options.summary === true))
          throw partOnly('matrix', names.length > 0 ? 'the names' : '--summary');
        if (options.libraries === true) return exploreLibraries(names, options, context);
        return makeMatrix(names.length === 0 ? CATALOGUE : names.map(readStrategy), options, context);
      }),
    );
}

/** Parses the name of the page; its data is written to the same name with `.json`. */
function readMarkdownFile(file: string): string {
  if (file.endsWith('.md')) return file;
  throw new InvalidArgumentError('It must end with .md; the data is written to the same name with .json.');
}

/** Reads the rows that `--json` or `--docs` wrote in an earlier run. */
const readRows = (file: string): readonly MatrixRow[] =>
  readEarlierRun<{ readonly rows: readonly MatrixRow[] }>(
    file,
    ({ rows }) => Array.isArray(rows),
    'is not a matrix: give --known a JSON file written by lab matrix --json or --docs',
  ).rows;

/** A line for each strategy: small, and a change shows which strategy it concerns. */
const compactJson = ({
  conditions,
  rows,
}: {
  readonly conditions: Conditions;
  readonly rows: readonly MatrixRow[];
}): string =>
  `{"conditions":${JSON.stringify(conditions)},"rows":[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`;

async function makeMatrix(
  strategies: readonly Strategy[],
  options: MatrixOptions,
  context: Context,
): Promise<number> {
  const { progress, signal, onEnd } = context;
  const knownRows = options.known === undefined ? [] : readRows(options.known);
  const { pools, conditions, stop } = await openExplorers(context, options.workers, strategies);
  onEnd(stop);
  const begun = performance.now();
  let done = 0;
  /** Schedules that are run now, and those that an earlier run has run. */
  let schedules = 0;
  let known = 0;
  const unexpected: string[] = [];
  const conditionsNow = (): Conditions => {
    const seconds = (performance.now() - begun) / 1000;
    return {
      ...conditions,
      schedules: schedules + known,
      ...(known === 0 && {
        seconds: Math.round(seconds),
        schedulesPerSecond: Math.round(schedules / seconds),
      }),
    };
  };
  const isSummary = options.summary === true;
  const cells = isSummary ? CELLS.filter(({ name }) => name in SUMMARY_COLUMNS) : CELLS;
  const print = (all: readonly MatrixRow[]): string =>
    isSummary ? printSummary(all) : printMatrix(all, isVerbose);
  const doneText = (): string => `${done} of ${count(strategies.length * cells.length, 'circumstance')}`;
  /** Writes the page, and the same data as JSON. */
  const writePage = (page: string, all: readonly MatrixRow[]): void => {
    writeFileSync(page, `${renderMatrix(all, conditionsNow())}\n`);
    writeFileSync(page.replace(/md$/, 'json'), compactJson({ conditions: conditionsNow(), rows: all }));
  };
  const isVerbose = options.verbose === true;
  const partial = options.docs?.replace(/md$/, 'partial.md');
  let current: readonly MatrixRow[] = [];
  let isComplete = false;
  onEnd(() => {
    if (!isComplete && options.json !== undefined)
      writeJson(options.json, { rows: current, conditions: conditionsNow() });
    if (!isComplete && partial === undefined && current.length > 0)
      process.stdout.write(`INTERRUPTED: not every circumstance was explored\n${print(current)}\n`);
    if (!isComplete && partial !== undefined && current.length > 0)
      progress.say(`interrupted: the circumstances explored so far are in ${partial}`);
    return Promise.resolve();
  });
  const rows = await exploreMatrix(pools, strategies, {
    signal,
    cells,
    max: options.max,
    enough: options.enough ?? (isSummary ? 1 : 1000),
    onlyMarks: isSummary,
    countsOrders: options.orders === true,
    known: knownRows,
    onCell: ({ name }, cell, isKnown) => {
      done++;
      if (isKnown) known += cell.schedules;
      else schedules += cell.schedules;
      for (const sentence of cell.contradictions) unexpected.push(`${name}, ${cell.cell}: ${sentence}`);
      progress.update(`${doneText()} ${name}: ${cell.cell} ${cell.mark}`);
    },
    onProgress: (tally) => {
      progress.update(
        `${doneText()}; ${count(tally.schedules, 'schedule')} of the next, ${tally.violating} violating`,
      );
    },
    onRows: (rowsSoFar) => {
      current = rowsSoFar;
      if (partial !== undefined) writePage(partial, current); // keeps the results of an interrupted run
    },
  });
  progress.clear();
  signal.throwIfAborted(); // a partial matrix must not replace the page
  isComplete = true;
  const seconds = (performance.now() - begun) / 1000;
  const { docs } = options;
  const explored = `${count(schedules, 'schedule')} in ${seconds.toFixed(1)} s${known === 0 ? '' : `, ${known} known`}`;
  const expectation =
    unexpected.length === 0
      ? 'AS DOCUMENTED'
      : `NOT AS DOCUMENTED: ${count(unexpected.length, 'deviation')} from the catalogue`;
  if (docs !== undefined) {
    writePage(docs, rows);
    for (const ending of ['md', 'json']) rmSync(docs.replace(/md$/, `partial.${ending}`), { force: true });
  }
  process.stdout.write(
    [
      `${expectation}; ${explored}${docs === undefined ? '' : `; ${docs}`}`,
      ...unexpected.map((line) => wrap(`  ${line}`, 4)),
      ...(docs === undefined ? ['', print(rows)] : []),
      ...(docs === undefined && isVerbose ? ['', printConditions(conditionsNow())] : []),
      '',
    ].join('\n'),
  );
  if (options.json !== undefined) writeJson(options.json, { rows, conditions: conditionsNow() });
  return unexpected.length === 0 ? EXIT.ok : EXIT.notAsExpected;
}

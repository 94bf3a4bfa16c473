import { CATALOGUE, nextText, renderCatalogue, type Strategy } from '#lab/strategy';
import type { Command } from 'commander';
import { writeFileSync } from 'node:fs';
import { committedMatrix } from '../committed-matrix';
import { partOnly } from '../failure';
import { printStrategies, printStrategy } from '../print/strategies';
import { shownBy, tellingCommand } from '../shown-by';
import { readStrategy } from './explore';

export function register(program: Command): void {
  program
    .command('strategies')
    .argument('[names...]', 'print all that is known about these')
    .description('list the strategies of the catalogue')
    .option('--json', 'print all fields as JSON')
    .option('--docs <file>', 'write the whole catalogue as Markdown: docs/catalogue.md')
    .action((names: readonly string[], { json, docs }: { json?: true; docs?: string }) => {
      if (docs !== undefined) {
        if (names.length > 0) throw partOnly('catalogue', 'the names');
        writeFileSync(docs, renderCatalogue(CATALOGUE, shownBy()));
        return;
      }
      const strategies = names.length === 0 ? CATALOGUE : names.map(readStrategy);
      if (json !== true) {
        process.stdout.write(`${names.length === 0 ? printStrategies(strategies) : printEach(strategies)}\n`);
        return;
      }
      const rows = strategies.map(({ name, mechanism, defect, source, next, options, lacks, expected }) => ({
        name,
        mechanism,
        defect,
        source,
        next: nextText(next),
        options,
        lacks,
        expected,
      }));
      process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    });
}

/** All that is known about these strategies: the catalogue, and the marks of docs/matrix.json. */
function printEach(strategies: readonly Strategy[]): string {
  const { rows } = committedMatrix();
  return strategies
    .map((strategy) => {
      const cells = rows.find((row) => row.strategy === strategy.name)?.cells ?? [];
      return printStrategy(strategy, cells, tellingCommand(strategy.name, cells));
    })
    .join('\n\n');
}

import { CATALOGUE, nextText, renderCatalogue } from '#lab/strategy';
import type { Command } from 'commander';
import { writeFileSync } from 'node:fs';
import { printStrategies } from '../print/strategies';
import { shownBy } from '../shown-by';

export function register(program: Command): void {
  program
    .command('strategies')
    .description('list the strategies of the catalogue')
    .option('--json', 'print all fields as JSON')
    .option('--docs <file>', 'write the whole catalogue as Markdown: docs/catalogue.md')
    .action(({ json, docs }: { json?: true; docs?: string }) => {
      if (docs !== undefined) {
        writeFileSync(docs, renderCatalogue(CATALOGUE, shownBy()));
        return;
      }
      if (json !== true) {
        process.stdout.write(`${printStrategies(CATALOGUE)}\n`);
        return;
      }
      const rows = CATALOGUE.map(({ name, mechanism, defect, source, next, options, lacks, expected }) => ({
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

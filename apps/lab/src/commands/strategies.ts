import { CATALOGUE, renderCatalogue } from '#lab/strategy';
import Table from 'cli-table3';
import type { Command } from 'commander';
import { writeFileSync } from 'node:fs';

export function register(program: Command): void {
  program
    .command('strategies')
    .description('list the catalogue')
    .option('--json', 'as JSON')
    .option('--docs <file>', 'write all that is known of them there: docs/catalogue.md')
    .action(({ json, docs }: { json?: true; docs?: string }) => {
      if (docs !== undefined) {
        writeFileSync(docs, renderCatalogue(CATALOGUE));
        return;
      }
      const rows = CATALOGUE.map(({ name, mechanism, defect, source, next, options, lacks, expected }) => ({
        name,
        mechanism,
        defect,
        source,
        next,
        options,
        lacks,
        expected,
      }));
      if (json === true) {
        process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
        return;
      }
      const table = new Table({
        head: ['strategy', 'mechanism', 'defect'],
        colWidths: [20, 50, 50],
        wordWrap: true,
        style: { head: [], border: [] },
      });
      for (const { name, mechanism, defect } of rows) table.push([name, mechanism, defect]);
      process.stdout.write(`${table.toString()}\n`);
    });
}

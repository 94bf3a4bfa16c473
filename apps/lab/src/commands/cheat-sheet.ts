import type { Language } from '#lab/course';
import type { SavedMatrix } from '#lab/explore';
import { projectRoot } from '#lab/stack';
import type { Command } from 'commander';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderCheatSheet } from '../cheat-sheet/page';
import { chosenLanguage, languageOption } from '../language';

export function register(program: Command): void {
  program
    .command('cheat-sheet')
    .description(
      'print one A4 page as HTML: which strategy for which need, its cost, and what it does not survive',
    )
    .addOption(languageOption())
    .option('--out <file>', 'write the page to a file: docs/cheat-sheet.html')
    .action(({ lang, out }: { lang?: Language; out?: string }) => {
      const matrix = JSON.parse(
        readFileSync(join(projectRoot(), 'docs', 'matrix.json'), 'utf8'),
      ) as SavedMatrix;
      const page = renderCheatSheet(matrix, chosenLanguage(lang));
      if (out === undefined) process.stdout.write(page);
      else writeFileSync(out, page);
    });
}

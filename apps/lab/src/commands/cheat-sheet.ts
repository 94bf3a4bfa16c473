import type { Language } from '#lab/verdict';
import type { Command } from 'commander';
import { writeFileSync } from 'node:fs';
import { renderCheatSheet } from '../cheat-sheet/page';
import { committedMatrix } from '../committed-matrix';
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
      const page = renderCheatSheet(committedMatrix(), chosenLanguage(lang));
      if (out === undefined) process.stdout.write(page);
      else writeFileSync(out, page);
    });
}

import { loseReplies, renderLostReplies, type LostReply } from '#lab/explore';
import { CATALOGUE } from '#lab/strategy';
import type { Command } from 'commander';
import { writeFileSync } from 'node:fs';
import { runCommand, writeJson } from '../command';
import { openExplorer } from '../explorer';
import { EXIT } from '../failure';
import { printLostReplies } from '../print/lost-replies';

interface LostRepliesOptions {
  readonly docs?: string;
  readonly verbose?: true;
  readonly json?: string;
}

export function register(program: Command): void {
  program
    .command('lost-replies')
    .description(
      'lose the reply to each acquire, renewal and release, and print what the buyer believes and what is true',
    )
    .option('--docs <file>', 'write the table as Markdown: docs/lost-replies.md')
    .option('--verbose', 'also print the lost replies that lead to no violation, and the commands')
    .option('--json <file>', 'write the table as JSON')
    .action(({ docs, verbose, json }: LostRepliesOptions) =>
      runCommand(async (context) => {
        const { pool, stop } = await openExplorer(context, 0, CATALOGUE);
        context.onEnd(stop);
        const rows: LostReply[] = [];
        for (const strategy of CATALOGUE) {
          context.progress.update(strategy.name);
          rows.push(...(await loseReplies(pool.world, strategy)));
        }
        context.progress.clear();
        if (docs === undefined) process.stdout.write(`${printLostReplies(rows, verbose === true)}\n`);
        else writeFileSync(docs, renderLostReplies(rows));
        if (json !== undefined) writeJson(json, { rows });
        return EXIT.ok;
      }),
    );
}

import { loseReplies, renderLostReplies, type LostReply } from '#lab/explore';
import { CATALOGUE } from '#lab/strategy';
import type { Command } from 'commander';
import { writeFileSync } from 'node:fs';
import { runCommand, writeJson } from '../command';
import { openExplorer } from '../explorer';
import { EXIT } from '../failure';

export function register(program: Command): void {
  program
    .command('lost-replies')
    .description('lose the reply to each acquire, renewal and release: what the buyer believes, what is true')
    .option('--docs <file>', 'write the table there: docs/lost-replies.md')
    .option('--json <file>', 'write it as JSON')
    .action(({ docs, json }: { docs?: string; json?: string }) =>
      runCommand(async (context) => {
        const { pool, stop } = await openExplorer(context, 1, CATALOGUE);
        context.onEnd(stop);
        const rows: LostReply[] = [];
        for (const strategy of CATALOGUE) {
          context.progress.update(strategy.name);
          rows.push(...(await loseReplies(pool.world, strategy)));
        }
        context.progress.clear();
        if (docs === undefined) process.stdout.write(renderLostReplies(rows));
        else writeFileSync(docs, renderLostReplies(rows));
        if (json !== undefined) writeJson(json, { rows });
        return EXIT.ok;
      }),
    );
}

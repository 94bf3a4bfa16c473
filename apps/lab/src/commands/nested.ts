import { drawLanes, NESTED, playNested, type NestedRun } from '#lab/explore';
import type { Command } from 'commander';
import { runCommand, writeJson } from '../command';
import { EXIT } from '../failure';
import { openExplorer } from '../explorer';

export function register(program: Command): void {
  program
    .command('nested')
    .description('a call under a lock that calls itself, three ways: as published, waiting, re-entrant')
    .option('--json <file>', 'write histories and verdicts as JSON')
    .action(({ json }: { json?: string }) =>
      runCommand(async (context) => {
        const { pool, stop } = await openExplorer(context, 1, []);
        context.onEnd(stop);
        const runs: NestedRun[] = [];
        for (const way of NESTED) runs.push(await playNested(pool.world, way));
        context.progress.clear();
        process.stdout.write(`${runs.map(tell).join('\n\n')}\n`);
        if (json !== undefined)
          writeJson(json, {
            ways: runs.map(({ way, ...run }) => ({
              way: way.name,
              shows: way.shows,
              expected: way.expected,
              ...run,
            })),
          });
        return runs.every(({ asExpected }) => asExpected) ? EXIT.ok : EXIT.notAsExpected;
      }),
    );
}

const tell = ({ way, history, verdict, outcomes, asExpected }: NestedRun): string =>
  [
    `${way.name}: ${way.shows}`,
    drawLanes(history, verdict),
    `      A ${outcomes[0] ?? ''}, B ${outcomes[1] ?? ''}: ${asExpected ? 'as expected' : 'NOT as expected'}`,
  ].join('\n');

import { NESTED, playNested, type NestedRun } from '#lab/explore';
import type { Command } from 'commander';
import { runCommand, writeJson } from '../command';
import { EXIT } from '../failure';
import { openExplorer } from '../explorer';
import { printNested } from '../print/lanes';

export function register(program: Command): void {
  program
    .command('nested')
    .description('run a call that calls itself under a lock in three ways: as published, waiting, reentrant')
    .option('--json <file>', 'write histories and verdicts as JSON')
    .action(({ json }: { json?: string }) =>
      runCommand(async (context) => {
        const { pool, stop } = await openExplorer(context, 0, []);
        context.onEnd(stop);
        const runs: NestedRun[] = [];
        for (const way of NESTED) runs.push(await playNested(pool.world, way));
        context.progress.clear();
        process.stdout.write(`${printNested(runs)}\n`);
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

import { projectRoot } from '#lab/stack';
import { count } from '#lab/step';
import type { Command } from 'commander';
import { relative } from 'node:path';
import { runCommand } from '../command';
import { EXIT, Failure } from '../failure';
import { beyond, removePaths, runFolders, type Removable } from '#load-tests/results';
import { endedStacks, megabytes, removeStacks, templates } from '../housekeeping';
import { whole } from './numbers';

interface CleanOptions {
  readonly keep?: number;
  readonly all?: true;
  readonly dryRun?: true;
}

const KEEP = 10;

export function register(program: Command): void {
  program
    .command('clean')
    .description('remove old run folders, and the folders of ended labs in .lab; a running lab is kept')
    .option('--keep <n>', `number of newest run folders to keep (${KEEP})`, whole(0, 100_000))
    .option('--all', 'remove all run folders, and the prepared databases that speed up the start')
    .option('--dry-run', 'print the folders without removing them')
    .action((options: CleanOptions) => runCommand(() => clean(options)));
}

async function clean({ keep, all, dryRun }: CleanOptions): Promise<number> {
  if (all === true && keep !== undefined)
    throw new Failure('--all keeps no run folder: give either --keep or --all', EXIT.usage);
  const oldRuns = beyond(runFolders(), all === true ? 0 : (keep ?? KEEP));
  const ended = endedStacks();
  const ready = all === true ? templates() : [];
  const removed = [...oldRuns, ...ended, ...ready];
  for (const item of removed) process.stdout.write(`${line(item)}\n`);
  if (dryRun !== true) {
    removePaths(oldRuns);
    await removeStacks(ended);
    removePaths(ready);
  }
  process.stdout.write(
    `${dryRun === true ? 'would remove' : 'removed'} ${count(removed.length, 'folder')}, ${megabytes(removed)}\n`,
  );
  return EXIT.ok;
}

const line = (item: Removable): string => `${relative(projectRoot(), item.path)}  ${megabytes([item])}`;

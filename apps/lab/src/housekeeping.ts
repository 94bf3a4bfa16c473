import { cleanStale, foldersLeftIn, projectRoot, removeLeft } from '#lab/stack';
import { count } from '#lab/step';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  beyond,
  KEPT_BYTES,
  KEPT_RUNS,
  newestFirst,
  removeOldRuns,
  type Removable,
} from '#load-tests/results';

/** Folders of ended stacks that are kept, because their logs explain failed runs. */
const KEPT_STACKS = 5;

const stacksDir = (): string => join(projectRoot(), '.lab');
const templatesDir = (): string => join(stacksDir(), 'template');

/** Folders of stacks whose process has ended, newest first. */
export const endedStacks = (): Removable[] => newestFirst(foldersLeftIn(stacksDir()));

/** Prepared data folders of databases, which make the next start faster; empty while a lab uses them. */
export const templates = (): Removable[] => {
  const folder = stacksDir();
  if (!existsSync(templatesDir())) return [];
  const left = new Set(foldersLeftIn(folder));
  const isUsed = readdirSync(folder).some(
    (name) => existsSync(join(folder, name, 'pids.json')) && !left.has(join(folder, name)),
  );
  return isUsed ? [] : newestFirst([templatesDir()]);
};

/** Removes folders of ended stacks and kills their remaining processes. Stacks that have started meanwhile are kept. */
export async function removeStacks(items: readonly Removable[]): Promise<void> {
  if (items.length > 0) await cleanStale(join(stacksDir(), 'up'));
  for (const { path } of items) await removeLeft(path);
}

let isPruned = false;

/**
 * Limits the size of runs/ and .lab/, and reports removed runs in one line. Runs once per command, before its first run, so
 * that the results of the command itself are kept.
 */
export async function prune(say: (line: string) => void): Promise<void> {
  if (isPruned) return;
  isPruned = true;
  const oldStacks = beyond(endedStacks(), KEPT_STACKS);
  const oldRuns = removeOldRuns();
  await removeStacks(oldStacks);
  if (oldRuns.length > 0)
    say(
      `removed ${count(oldRuns.length, 'old run')} from runs/ (${megabytes(oldRuns)}): the newest ${KEPT_RUNS} are kept, up to ${KEPT_BYTES / 2 ** 20} MB`,
    );
}

export const megabytes = (items: readonly Removable[]): string =>
  `${(items.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20).toFixed(1)} MB`;

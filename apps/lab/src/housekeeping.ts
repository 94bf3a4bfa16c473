import { cleanStale, foldersLeftIn, projectRoot, removeLeft } from '#lab/stack';
import { count } from '#lab/step';
import { existsSync, readdirSync, rmSync, lstatSync } from 'node:fs';
import { join } from 'node:path';

/** Limits for the run folders of earlier commands; the newest ones are kept. */
const KEPT_RUNS = 50;
const KEPT_BYTES = 500 * 2 ** 20;
/** Folders of ended stacks that are kept, because their logs explain failed runs. */
const KEPT_STACKS = 5;

/** A folder that may be removed. */
export interface Removable {
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
}

const runsDir = (): string => join(projectRoot(), 'runs');
const stacksDir = (): string => join(projectRoot(), '.lab');
const templatesDir = (): string => join(stacksDir(), 'template');

/** Run folders, newest first. */
export const runs = (): Removable[] => {
  const folder = runsDir();
  return newestFirst(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []);
};

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

/** The items after the newest `most` ones, or after a total of `bytes`; the newest one is always kept in the latter case. */
export function beyond(items: readonly Removable[], most: number, bytes = Infinity): Removable[] {
  let sum = 0;
  return items.filter((item, i) => {
    sum += item.bytes;
    return i >= most || (i > 0 && sum > bytes);
  });
}

/** Removes folders that no process uses. */
export function removeFolders(items: readonly Removable[]): void {
  for (const { path } of items) rmSync(path, { recursive: true, force: true });
}

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
  const oldRuns = beyond(runs(), KEPT_RUNS, KEPT_BYTES);
  const oldStacks = beyond(endedStacks(), KEPT_STACKS);
  removeFolders(oldRuns);
  await removeStacks(oldStacks);
  if (oldRuns.length > 0)
    say(
      `removed ${count(oldRuns.length, 'old run')} from runs/ (${megabytes(oldRuns)}): the newest ${KEPT_RUNS} are kept, up to ${KEPT_BYTES / 2 ** 20} MB`,
    );
}

export const megabytes = (items: readonly Removable[]): string =>
  `${(items.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20).toFixed(1)} MB`;

const newestFirst = (paths: readonly string[]): Removable[] =>
  paths
    .flatMap((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ path, bytes: sizeOf(path), changedAt: stats.mtimeMs }];
    })
    .sort((a, b) => b.changedAt - a.changedAt);

/** Bytes of a file, or of all files in a folder. Files that disappear meanwhile count as 0. */
function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  try {
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
  } catch {
    return 0;
  }
}

import { cleanStale, foldersLeftIn, projectRoot, removeLeft } from '#lab/stack';
import { count } from '#lab/step';
import { existsSync, readdirSync, rmSync, lstatSync } from 'node:fs';
import { join } from 'node:path';

/** What a command keeps of the runs before it: the newest ones, as far as they fit. */
const KEPT_RUNS = 50;
const KEPT_BYTES = 500 * 2 ** 20;
/** Folders of ended stacks that are kept: their logs say why a run has failed. */
const KEPT_STACKS = 5;

/** Something on the disk that may be removed. */
export interface Item {
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
}

const runsDir = (): string => join(projectRoot(), 'runs');
const stacksDir = (): string => join(projectRoot(), '.lab');
const templatesDir = (): string => join(stacksDir(), 'template');

/** Run folders, newest first. */
export const runs = (): Item[] => {
  const folder = runsDir();
  return newestFirst(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []);
};

/** Folders of stacks whose process has ended, newest first. */
export const endedStacks = (): Item[] => newestFirst(foldersLeftIn(stacksDir()));

/** Ready data folders of databases, which the next lab would have to make again; none while a lab uses them. */
export const templates = (): Item[] => {
  const folder = stacksDir();
  if (!existsSync(templatesDir())) return [];
  const left = new Set(foldersLeftIn(folder));
  const isUsed = readdirSync(folder).some(
    (name) => existsSync(join(folder, name, 'pids.json')) && !left.has(join(folder, name)),
  );
  return isUsed ? [] : newestFirst([templatesDir()]);
};

/** Those beyond the newest `most`, or beyond so many bytes; the newest one always stays. */
export function beyond(items: readonly Item[], most: number, bytes = Infinity): Item[] {
  let sum = 0;
  return items.filter((item, i) => {
    sum += item.bytes;
    return i >= most || (i > 0 && sum > bytes);
  });
}

/** Removes folders that no process holds. */
export function removeFolders(items: readonly Item[]): void {
  for (const { path } of items) rmSync(path, { recursive: true, force: true });
}

/** Removes folders of ended stacks, and what still runs of them; those that have come to life meanwhile stay. */
export async function removeStacks(items: readonly Item[]): Promise<void> {
  if (items.length > 0) await cleanStale(join(stacksDir(), 'up'));
  for (const { path } of items) await removeLeft(path);
}

let isPruned = false;

/**
 * Keeps runs/ and .lab/ from growing, and says in one line what it has removed. Once in a command, before its first run: what
 * the command itself writes stays.
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

export const megabytes = (items: readonly Item[]): string =>
  `${(items.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20).toFixed(1)} MB`;

const newestFirst = (paths: readonly string[]): Item[] =>
  paths
    .flatMap((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ path, bytes: sizeOf(path), changedAt: stats.mtimeMs }];
    })
    .sort((a, b) => b.changedAt - a.changedAt);

/** Bytes of a file, or of all files in a folder; what goes away meanwhile counts nothing. */
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

import { projectRoot } from '#lab/stack';
import type { Language } from '#lab/verdict';
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Limits for the run folders; the newest ones are kept. */
export const KEPT_RUNS = 50;
export const KEPT_BYTES = 500 * 2 ** 20;

/** A file or folder that may be removed. */
export interface Removable {
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
}

export const runsDir = (): string => join(projectRoot(), 'runs');

/** Creates a folder for a run, named by the time and its name. */
export function newFolder(name: string): string {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const folder = join(runsDir(), `${stamp}-${name}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The file of a report: `report.html`, `report.zh.html`. `ending`: of the other products of a run of carts. */
export const reportName = (language: Language, ending = ''): string =>
  `report${ending}${language === 'en' ? '' : `.${language}`}.html`;

/** Everything under runs/, newest first. */
export const runFolders = (): Removable[] => {
  const folder = runsDir();
  return newestFirst(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []);
};

/** The items after the newest `most` ones, or after a total of `bytes`; the newest one is always kept in the latter case. */
export function beyond(items: readonly Removable[], most: number, bytes = Infinity): Removable[] {
  let sum = 0;
  return items.filter((item, i) => {
    sum += item.bytes;
    return i >= most || (i > 0 && sum > bytes);
  });
}

/** Removes files and folders that no process uses. */
export function removePaths(items: readonly Removable[]): void {
  for (const { path } of items) rmSync(path, { recursive: true, force: true });
}

/** Removes run folders beyond the limits; returns them. */
export function removeOldRuns(): readonly Removable[] {
  const old = beyond(runFolders(), KEPT_RUNS, KEPT_BYTES);
  removePaths(old);
  return old;
}

export const newestFirst = (paths: readonly string[]): Removable[] =>
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

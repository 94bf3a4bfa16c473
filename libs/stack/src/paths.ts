import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The checkout: the nearest parent folder with infra/, because this file runs from libs/ and from dist/. */
export function projectRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'infra', 'nginx', 'nginx.conf'))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new Error(`There is no infra/ folder above ${__dirname}. Check that the checkout is complete.`);
    folder = parent;
  }
  return folder;
}

export const infra = (...parts: string[]): string => join(projectRoot(), 'infra', ...parts);

const TAIL_BYTES = 4096;

/** The last lines of a log, indented, for an error message; empty when there is no log. */
export function tail(file: string, lines = 12): string {
  try {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(fd, buffer, 0, buffer.length, size - buffer.length);
      const last = buffer.toString('utf8').trimEnd().split('\n').slice(-lines);
      return `\n  ${file}:\n${last.map((line) => `    ${line}`).join('\n')}`;
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

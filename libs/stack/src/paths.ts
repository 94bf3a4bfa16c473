import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The checkout, found from here upwards: this file runs from libs/ and from dist/. */
export function projectRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'infra', 'nginx', 'nginx.conf'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`No infra/ folder above ${__dirname}: is the checkout complete?`);
    folder = parent;
  }
  return folder;
}

export const infra = (...parts: string[]): string => join(projectRoot(), 'infra', ...parts);

const TAIL_BYTES = 4096;

/** The last lines of a log, indented, to be shown in an error; empty when there is none. */
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

import { InvalidArgumentError, type Command } from 'commander';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Options that name what a command writes, with their checks. In some commands, `--json` has no value. */
const OUTPUTS = new Map([
  ['--json', assertFile],
  ['--docs', assertFile],
  ['--out', assertFile],
  ['--slides', assertFolder],
]);

/** Refuses outputs that cannot be written, before the command begins: it may run for minutes. */
export function checkOutputs(command: Command): void {
  for (const option of command.options) {
    const check = OUTPUTS.get(option.long ?? '');
    if (check === undefined || !option.required) continue;
    option.argParser((path: string) => {
      try {
        check(path);
      } catch (error) {
        throw new InvalidArgumentError(`It cannot be written: ${(error as Error).message}.`);
      }
      return path;
    });
  }
}

function assertFile(path: string): void {
  const existing = statSync(path, { throwIfNoEntry: false });
  if (path === '' || path.endsWith('/') || existing?.isDirectory() === true)
    throw new Error('it is not the name of a file');
  if (existing === undefined) assertWritable(`${dirname(path)}/`);
  else assertWritable(path);
}

/** A folder that does not exist is made. */
function assertFolder(path: string): void {
  const folder = resolve(path);
  if (existsSync(folder)) assertWritable(`${folder}/`);
  else assertFolder(dirname(folder));
}

const assertWritable = (path: string): void => {
  accessSync(path, constants.W_OK);
};

import { Command } from 'commander';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

export interface Parsed {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** The command line of the lab, with actions that only note what was parsed. Throws what commander throws. */
export function commandLine(): (words: readonly string[]) => Parsed {
  const program = new Command('lab').exitOverride().configureOutput({ writeErr: () => undefined });
  for (const file of readdirSync('apps/lab/src/commands')) {
    const { register } = jest.requireActual<{ register?: (program: Command) => void }>(
      resolve('apps/lab/src/commands', file),
    );
    register?.(program);
  }
  const captured: Parsed[] = [];
  const capture = (command: Command): void => {
    if (command.commands.length === 0)
      command.action(() => {
        captured.push({ command: command.name(), args: command.args, options: command.opts() });
      });
    command.commands.forEach(capture);
  };
  program.commands.forEach(capture);
  return (words) => {
    program.parse(words, { from: 'user' });
    const parsed = captured.pop();
    if (parsed === undefined) throw new Error(`"${words.join(' ')}" names no command`);
    return parsed;
  };
}

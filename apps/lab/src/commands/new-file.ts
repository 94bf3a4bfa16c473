import type { Command } from 'commander';
import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { EXIT, Failure } from '../failure';
import { LOCK_TEMPLATE } from '../templates/lock';

const TEMPLATES: Readonly<Record<string, string>> = { lock: LOCK_TEMPLATE };

export function register(program: Command): void {
  program
    .command('new')
    .argument('<what>', `what to write: ${Object.keys(TEMPLATES).join(', ')}`)
    .argument('<file>', 'a new file, such as my-lock.ts')
    .description('write a commented file to begin with; it has a bug for lab verify to find')
    .action((what: string, file: string) => {
      const text = TEMPLATES[what];
      if (text === undefined)
        throw new Failure(
          `there is no template "${what}": choose one of ${Object.keys(TEMPLATES).join(', ')}`,
          EXIT.usage,
        );
      if (!['.ts', '.js', '.cjs'].includes(extname(file)))
        throw new Failure(`${file} must end with .ts, .js or .cjs`, EXIT.usage);
      try {
        writeFileSync(file, text, { flag: 'wx' });
      } catch (error) {
        const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
        throw new Failure(
          isThere
            ? `${file} exists and was not changed`
            : `cannot write ${file}: ${(error as Error).message}`,
          EXIT.usage,
          { cause: error },
        );
      }
      process.stdout.write(`wrote ${file}: try it with "npx lab verify ${file}"\n`);
    });
}

import { doctor, type Finding } from '#lab/stack';
import type { Command } from 'commander';
import { EXIT } from '../failure';

export function register(program: Command): void {
  program
    .command('doctor')
    .description('say what is there, what is missing, and the command that gets it')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) => {
      const findings = doctor();
      const missing = findings.filter(({ found, onDemand }) => found === undefined && !onDemand);
      if (json === true) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
      else
        for (const { name, found, neededFor, onDemand, get } of findings) {
          process.stdout.write(
            `${name.padEnd(10)} ${stateOf(found, onDemand)}\n           for ${neededFor}\n`,
          );
          if (found === undefined)
            process.stdout.write(
              `           Debian/Ubuntu: ${get.apt}\n           macOS: ${get.brew}\n           Docker: ${get.docker}\n`,
            );
        }
      process.exitCode = missing.length === 0 ? EXIT.ok : EXIT.notAsExpected;
    });
}

function stateOf(found: Finding['found'], onDemand: boolean): string {
  if (found !== undefined) return `${found.version} (${found.file ?? found.path})`;
  return onDemand ? 'not there yet: installed with the first lab that needs it' : 'MISSING';
}

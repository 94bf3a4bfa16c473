import { doctor } from '#lab/stack';
import type { Command } from 'commander';
import { EXIT } from '../failure';
import { printDoctor } from '../print/doctor';

export function register(program: Command): void {
  program
    .command('doctor')
    .description('check which servers are installed, and print how to install those that are missing')
    .option('--verbose', 'also print how to install the servers on demand')
    .option('--json', 'print the findings as JSON')
    .action(({ json, verbose }: { json?: true; verbose?: true }) => {
      const findings = doctor();
      const isMissing = findings.some(({ found, need }) => found === undefined && need === 'always');
      process.stdout.write(
        json === true
          ? `${JSON.stringify(findings, null, 2)}\n`
          : `${printDoctor(findings, verbose === true)}\n`,
      );
      process.exitCode = isMissing ? EXIT.notAsExpected : EXIT.ok;
    });
}

import type { Finding } from '#lab/stack';
import { fields, wrap } from './wrap';

/** Whether everything that every lab needs is installed, then each program, and how to install what is missing. */
export function printDoctor(findings: readonly Finding[], verbose: boolean): string {
  const missing = findings.filter(({ found, need }) => found === undefined && need === 'always');
  return [
    missing.length === 0
      ? 'Everything that every lab needs is installed.'
      : wrap(
          `MISSING: ${missing.map(({ name }) => name).join(', ')}. Install it with one of the commands below.`,
        ),
    ...findings.flatMap(({ name, found, neededFor, need, get }) => [
      '',
      wrap(`${name}: ${stateOf(found, need)}`, 2),
      wrap(`  for ${neededFor}`, 2),
      ...(found !== undefined || (need === 'on demand' && !verbose)
        ? []
        : [
            fields([
              ['  Debian/Ubuntu', get.apt],
              ['  macOS', get.brew],
              ['  Docker', get.docker],
            ]),
          ]),
    ]),
  ].join('\n');
}

function stateOf(found: Finding['found'], need: Finding['need']): string {
  if (found !== undefined) return `${found.version} (${found.file ?? found.path})`;
  switch (need) {
    case 'always':
      return 'MISSING';
    case 'on demand':
      return 'not installed; the first lab that needs it installs it';
    case 'optional':
      return 'not installed (optional; the lab does not install it)';
  }
}

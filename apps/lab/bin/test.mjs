#!/usr/bin/env node
// npm test: installs and builds if necessary, installs the servers, then runs jest with the same arguments: all specs
// except *.long.spec.ts, or those whose path was given. npm run test:long: only *.long.spec.ts.
import { join } from 'node:path';
import { runAndExit, prepare, root } from './prepare.mjs';

/** Options of jest whose value may be the next argument. */
const WITH_VALUE = new Set([
  '-t',
  '--testNamePattern',
  '-w',
  '--maxWorkers',
  '--outputFile',
  '--shard',
  '--seed',
  '--testTimeout',
]);

await prepare();
const { default: stack } = await import(join(root, 'dist', 'libs', 'stack', 'src', 'index.js'));
const say = (line) => process.stderr.write(`${line}\n`);
try {
  await stack.ensureInstalled(say);
} catch (error) {
  say(error.message);
  process.exit(1);
}
// Installed here, because apt exceeds the time limit of a test. If it fails, the specs that need these servers report it.
await stack
  .ensureInstalled(say, ['redlock', 'replica', 'zookeeper', 'etcd', 'faketime', 'chromium'])
  .catch((error) => say(error.message));
runAndExit(join(root, 'node_modules', 'jest', 'bin', 'jest.js'), jestArguments(process.argv.slice(2)));

function jestArguments(given) {
  const args = given.filter((arg) => arg !== '--long');
  if (args.length < given.length) return [...args, '--testMatch=<rootDir>/test/**/*.long.spec.ts'];
  const isPath = (arg, i) => !arg.startsWith('-') && !WITH_VALUE.has(args[i - 1]);
  return args.some(isPath) ? args : [...args, '--testPathIgnorePatterns=\\.long\\.spec\\.ts$'];
}

#!/usr/bin/env node
// npm test: installs and builds if necessary, installs the servers, then runs jest with the same arguments.
import { join } from 'node:path';
import { runAndExit, prepare, root } from './prepare.mjs';

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
  .ensureInstalled(say, ['redlock', 'replica', 'zookeeper', 'etcd', 'faketime'])
  .catch((error) => say(error.message));
runAndExit(join(root, 'node_modules', 'jest', 'bin', 'jest.js'), process.argv.slice(2));

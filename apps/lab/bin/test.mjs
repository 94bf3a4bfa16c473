#!/usr/bin/env node
// npm test, from a fresh clone: prepares what is missing, installs the servers, then runs jest with the same arguments.
import { join } from 'node:path';
import { become, prepare, root } from './prepare.mjs';

await prepare();
const { default: stack } = await import(join(root, 'dist', 'libs', 'stack', 'src', 'index.js'));
const say = (line) => process.stderr.write(`${line}\n`);
try {
  await stack.ensureInstalled(say);
} catch (error) {
  say(error.message);
  process.exit(1);
}
// Here, because apt takes longer than a test may. Where it is not possible, the specs that need them fail and say so.
await stack
  .ensureInstalled(say, ['redlock', 'replica', 'zookeeper', 'etcd', 'faketime'])
  .catch((error) => say(error.message));
become(join(root, 'node_modules', 'jest', 'bin', 'jest.js'), process.argv.slice(2));

#!/usr/bin/env node
// npm test, from a fresh clone: prepares what is missing, installs the servers, then runs jest with the same arguments.
import { join } from 'node:path';
import { become, prepare, root } from './prepare.mjs';

await prepare();
const { default: stack } = await import(join(root, 'dist', 'libs', 'stack', 'src', 'index.js'));
try {
  await stack.ensureInstalled((line) => process.stderr.write(`${line}\n`));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
become(join(root, 'node_modules', 'jest', 'bin', 'jest.js'), process.argv.slice(2));

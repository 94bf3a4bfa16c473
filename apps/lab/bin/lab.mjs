#!/usr/bin/env node
// Entry point of the command line: installs and builds if necessary, then runs dist/apps/lab with the same arguments.
import { join } from 'node:path';
import { runAndExit, prepare, root } from './prepare.mjs';

await prepare();
runAndExit(join(root, 'dist', 'apps', 'lab', 'src', 'main.js'), process.argv.slice(2));

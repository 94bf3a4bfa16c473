#!/usr/bin/env node
// The command line, from a fresh clone: prepares what is missing, then runs dist/apps/lab with the same arguments.
import { join } from 'node:path';
import { become, prepare, root } from './prepare.mjs';

await prepare();
become(join(root, 'dist', 'apps', 'lab', 'src', 'main.js'), process.argv.slice(2));

// Writes the types of the API that the page uses: apps/console/web/src/api/schema.ts, from the OpenAPI document of the built
// server.
//   node apps/console/openapi.mjs           prints them
//   node apps/console/openapi.mjs --write   writes them
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';

const here = dirname(fileURLToPath(import.meta.url));
const { openApiDocument } = createRequire(import.meta.url)(
  join(here, '..', '..', 'dist', 'apps', 'console', 'src', 'openapi.js'),
);
const head = '// Written by `node apps/console/openapi.mjs --write` from the schemas of the server.\n';
const text = head + astToString(await openapiTypes(await openApiDocument()));
if (process.argv.includes('--write')) writeFileSync(join(here, 'web', 'src', 'api', 'schema.ts'), text);
else process.stdout.write(text);
process.exit(0);

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

test("the page's types of the API are those of the server: node apps/console/openapi.mjs --write", () => {
  const printed = execFileSync(process.execPath, [resolve('apps/console/openapi.mjs')], { encoding: 'utf8' });
  expect(readFileSync('apps/console/web/src/api/schema.ts', 'utf8')).toBe(printed);
});

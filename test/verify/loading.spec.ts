import { Realm, Schedule } from '#lab/explore';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openOwnFiles } from './own-files';

const { world, folder, ofFile } = openOwnFiles(__filename);

/** The exports of a new file of the folder. */
function load(name: string, text: string): unknown {
  const file = join(folder, name);
  writeFileSync(file, text);
  return new Realm(1).load(file);
}

test.each(['ts', 'cts', 'mts', 'mjs'])('a module of .%s may import and export', (extension) => {
  const text = `import { sep } from 'node:path';
    export const place = [sep, import.meta.filename];
    // ${Math.random()}: not from the cache`;
  expect(load(`module.${extension}`, text)).toMatchObject({
    place: ['/', join(folder, `module.${extension}`)],
  });
});

test('the same text is transpiled again for a file with the extension of another language', () => {
  const text = `export const one = <T>(x: T) => x; // ${Math.random()}`;
  expect(() => load('typed.mjs', text)).toThrow('typed.mjs:1: ');
  expect(load('typed.mts', text)).toHaveProperty('one');
  expect(() => load('typed.mjs', text)).toThrow('typed.mjs:1: ');
});

test.each([
  ['wrong.ts', 'export const a = 1;\nexport const b: = 2;', 'wrong.ts:2: Type expected.'],
  ['wrong.mjs', 'export const a = 1;\n\nexport const b = ;', 'wrong.mjs:3: Expression expected.'],
  [
    'wrong.js',
    '#!/usr/bin/env node\nexports.a = 1;\nexports.b = ;',
    "wrong.js:3 cannot be loaded for each explored process: Unexpected token ';'",
  ],
  [
    'again.js',
    'const a = 1;\nconst a = 2;',
    "again.js:2 cannot be loaded for each explored process: Identifier 'a'",
  ],
])('a syntax error of %s is reported with its line', (name, text, message) => {
  expect(() => load(name, text)).toThrow(message);
});

test('a call of process.exit does not end the explorer when a file is loaded', () => {
  expect(() => load('exits.js', 'process.exit(0);')).toThrow('its code has called process.exit');
});

/** The texts of the events of a request that is alone, of a lock with these methods. */
async function textsOf(name: string, methods: string): Promise<readonly string[]> {
  const strategy = ofFile(`${name}.js`, `exports.createLock = ({ redis }) => ({ ${methods} });`);
  const s = await Schedule.begin(world(), strategy, { processes: ['p1'] });
  const { history } = await s.end();
  return history.events.flatMap((event) => ('text' in event ? event.text : []));
}

test('a call of process.exit ends its process in the schedule', async () => {
  const texts = await textsOf(
    'exits-later',
    'acquire: async (name) => name, extend: () => process.exit(1), release: (name) => redis.del(name)',
  );
  expect(texts.at(-1)).toBe('p1 ends: its code has called process.exit');
});

test.each([
  ['release', 'acquire: () => true'],
  ['acquire', 'release() {}'],
  ['extend', 'acquire: () => true, release() {}, extend: true'],
])('a lock whose %s is not a function is refused', async (name, methods) => {
  expect(await textsOf(`no-${name}`, methods)).toEqual([
    `createLock must return {acquire, release}, and ${name} is not a function`,
  ]);
});

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { Checkout } from './support';

/**
 * A strategy is one file, and its line in the catalogue. No other place knows it, and the names of its Lua scripts mean
 * nothing: what they do to the lock is declared where they are defined.
 */
const checkout = new Checkout('added-strategy');
afterAll(() => checkout.remove());

const built = (...path: string[]): string => join(checkout.root, 'dist', 'libs', 'strategy', 'src', ...path);

beforeAll(() => {
  const source = readFileSync('test/fixtures/added-strategy/grab.ts', 'utf8').replaceAll(
    '../../../libs/strategy/src/',
    '../',
  );
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };
  writeFileSync(
    built('strategies', 'grabber.js'),
    ts.transpileModule(source, { compilerOptions }).outputText,
  );
  const catalogue = readFileSync(built('catalogue.js'), 'utf8');
  const added = catalogue.replace('lua_1.lua,', "lua_1.lua,\n    require('./strategies/grabber').grabber,");
  expect(added).not.toBe(catalogue);
  writeFileSync(built('catalogue.js'), added);
});

test('is listed and documented', async () => {
  const { stdout } = await checkout.run('strategies');
  expect(stdout).toContain('│ grabber ');
  const without = await checkout.run('strategies', '--docs', 'catalogue.md');
  expect(without.stderr).toContain('docs/matrix.json is missing');
  expect(without.code).toBe(2);
  cpSync('docs/matrix.json', join(checkout.root, 'docs', 'matrix.json'));
  await checkout.run('strategies', '--docs', 'catalogue.md');
  expect(readFileSync(join(checkout.root, 'catalogue.md'), 'utf8')).toContain('### grabber');
});

test('is explored: a lapse leads to two holders and to a foreign release', async () => {
  const { code } = await checkout.run('explore', 'grabber', '--faults', 'lapse:1', '--json', 'explored.json');
  expect(code).toBe(0); // as declared
  const explored = JSON.stringify(checkout.json('explored.json'));
  for (const kind of ['oversold', 'overlap', 'foreign-release']) expect(explored).toContain(`"${kind}"`);
});

test('is judged under load: its locks are recognized, and every one of its commands is decided', async () => {
  const { code, stdout } = await checkout.run(
    ...['load', '--strategy', 'grabber', '--lease-ms', '20', '--work-ms', '50', '--stock', '20'],
    ...['--requests', '60', '--connections', '10', '--wait-ms', '4000', '--json', 'load.json'],
  );
  expect({ code, stdout }).toMatchObject({ code: 0 });
  const verdict = checkout.json('load.json');
  expect(verdict).toMatchObject({ asExpected: true, undecided: 0 });
  expect(verdict['violations']).toEqual(expect.arrayContaining(['oversold', 'overlap', 'foreign-release']));
});

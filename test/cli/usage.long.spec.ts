import { CATALOGUE } from '#lab/strategy';
import { Checkout } from './support';
import { expectBadUsage, testBadUsage } from './usage';

const checkout = new Checkout('usage-long');
afterAll(() => checkout.remove());

testBadUsage(checkout, [
  ['an unknown strategy', ['load', '--strategy', 'hope'], 'Choose one of: none, local-mutex'],
  ['a description of an unknown strategy', ['strategies', 'watch-dog'], 'Did you mean "watchdog"?'],
  ['a page of one strategy', ['strategies', 'lua', '--docs', 'x.md'], 'Omit the names'],
  ['--fault-on without a fault', ['load', '--fault-on', 'nth=4'], 'give --fault, too'],
  ['an open loop without orders', ['load', '--rate', '0'], 'a whole number from 1 to 20000'],
  ['an unknown limiter', ['limit', 'hope'], 'Choose one of: in-process'],
  ['a class without the console', ['up', '--class', '--no-lab'], '--class needs the console'],
  [
    'a token of a file without the file',
    ['replay', 'v1.own-my-coupon..0.12.ab2a.LLVV.I.68b4c0'],
    'give it by --with, for example --with my-coupon.js',
  ],
  [
    'an isolation level that is none of the two',
    ['explore', 'for-update', '--isolation', 'serializable'],
    'Allowed choices are repeatable-read, read-committed',
  ],
  ['an unknown option', ['load', '--speed', '9'], "unknown option '--speed'"],
  ['an unknown scenario', ['load', '--scenario', 'hope'], 'Choose one of: none'],
  ['a fault that cannot be parsed', ['load', '--fault', 'boom'], 'cannot read the fault "boom"'],
  [
    'a fault on an order beyond the last one',
    ['load', '--requests', '10', '--fault', 'before(UPDATE)=error', '--fault-on', 'nth=40'],
    '--fault-on nth=40 never fires: the run has only 10 orders',
  ],
  [
    'a fault in an app that the run does not call',
    ['load', '--amount', '1', '--fault', 'before(UPDATE)=error'],
    'Write account:before(UPDATE)=error',
  ],
  [
    'an option that the scenario would ignore',
    ['load', '--scenario', 'none', '--lease-ms', '500'],
    '--lease-ms would be ignored',
  ],
  ['a fault for an unknown app', ['load', '--fault', 'shop:after(SET)=kill'], 'there is no app "shop"'],
  [
    'an unknown optional server',
    ['up', '--with', 'redlock,hope'],
    'There is no "hope". Choose from: redlock, replica, zookeeper, etcd',
  ],
  [
    '--docs with a part of the matrix',
    ['matrix', 'none', '--docs', 'matrix.md'],
    '--docs writes the whole matrix',
  ],
  [
    '--docs with a part of the lock libraries',
    ['matrix', 'redlock-4', '--libraries', '--docs', 'libraries.md'],
    '--docs writes the whole matrix',
  ],
  [
    '--docs with a part of the crash matrix',
    ['crash-matrix', '--quick', '--docs', 'crash.md'],
    '--docs writes the whole crash matrix',
  ],
  [
    '--known with a file that is no result of the check',
    ['selftest', 'reduction', '--known', 'package.json'],
    'package.json is no result of this check',
  ],
  ['--known with a file that is no matrix', ['matrix', '--known', 'gone.json'], 'gone.json is not a matrix'],
  ['an unknown case of the crash matrix', ['crash-matrix', 'hope'], 'there is no case "hope"'],
  ['an unknown drill', ['drill', 'hope', '--list'], 'there is no drill "hope"'],
  ['an invalid port', ['up', '--port', '99999'], 'a whole number from 1024'],
  ['an account without an amount', ['load', '--account', 'cafe'], '--account needs --amount'],
  ['a product with an amount', ['load', '--amount', '1', '--sku', 'phone'], 'cannot be combined with --sku'],
  ['an open loop that never ends', ['load', '--rate', '9', '--seconds', '0'], 'from 1 to 600'],
  [
    'an open loop with too many orders',
    ['load', '--rate', '20000', '--seconds', '600'],
    'is 12000000 orders; a run has at most 200000',
  ],
  ['an open loop with buyers', ['load', '--rate', '9', '--connections', '4'], '--connections is the number'],
  [
    'an open loop with another number of orders',
    ['load', '--rate', '9', '--seconds', '2', '--requests', '19'],
    'is 18 orders, and --requests is 19',
  ],
  ['a duration without a rate', ['load', '--seconds', '9'], '--seconds belongs to an open loop'],
  [
    'a lock in several servers beside another strategy',
    ['explore', 'redlock', '--beside', 'none'],
    'cannot be explored beside another strategy',
  ],
  [
    'one system beside itself',
    ['load', '--strategy', 'none', '--beside', 'none'],
    '--beside is the strategy',
  ],
  ['an invalid account', ['load', '--amount', '1', '--account', 'a b'], 'An account has'],
  ['an invalid SKU', ['load', '--sku', 'a b'], 'A SKU has'],
  ['a file for explore', ['explore', './my-lock.mts'], 'explore it by "npx lab verify ./my-lock.mts"'],
  ['an output file in a folder that is not there', ['verify', 'none', '--json', 'gone/x.json'], 'ENOENT'],
  ['an output file below a file', ['verify', 'none', '--json', 'package.json/x.json'], 'ENOTDIR'],
  ['a folder as the output file', ['guards', '--docs', 'infra'], 'it is not the name of a file'],
  ['a file as the output folder', ['lesson', '4', '--slides', 'package.json/slides'], 'ENOTDIR'],
  ['a nameless output file', ['cheat-sheet', '--out', ''], 'it is not the name of a file'],
  ['an output file of a command below another', ['bench', 'locks', '--json', 'gone/x.json'], 'ENOENT'],
  ['a folder for verify', ['verify', './infra'], './infra is a folder'],
  ['an unknown promise', ['verify', 'token-lua', '--only', 'hope'], '"hope" is not one of the promises'],
  ['a verdict without a SKU', ['verdict'], "missing required argument 'sku'"],
]);

test('strategies --json prints the catalogue', async () => {
  const { code, stdout } = await checkout.run('strategies', '--json');
  expect(code).toBe(0);
  const rows = JSON.parse(stdout) as { name: string; mechanism: string; defect: string; source: string }[];
  expect(rows.map(({ name }) => name)).toEqual(CATALOGUE.map(({ name }) => name));
  for (const row of rows)
    expect(row).toMatchObject({
      mechanism: expect.stringMatching(/\w/) as string,
      defect: expect.stringMatching(/\w/) as string,
      source: expect.stringMatching(/\w/) as string,
    });
});

test('doctor lists what is installed, what it is for, and how to install what is missing', async () => {
  const { code, stdout } = await checkout.run('doctor', '--json');
  const findings = JSON.parse(stdout) as {
    name: string;
    found?: { version: string };
    need: 'always' | 'on demand' | 'optional';
    get: Record<string, string>;
  }[];
  const needed = findings.filter(({ need }) => need === 'always');
  expect(needed.map(({ name }) => name)).toEqual(['redis-server', 'mariadbd or mysqld', 'nginx']);
  expect(code).toBe(needed.every(({ found }) => found !== undefined) ? 0 : 1);
  expect(findings.filter(({ need }) => need === 'on demand').map(({ name }) => name)).toEqual([
    'zookeeper',
    'etcd',
    'libfaketime',
    'chromium',
  ]);
  const versions = findings.flatMap(({ found }) => (found === undefined ? [] : [found.version]));
  expect(versions).toEqual(versions.map(() => expect.stringMatching(/^\d+\.\d+\.\d+/) as string));
  for (const { get } of findings)
    expect(Object.keys(get)).toEqual(expect.arrayContaining(['apt', 'brew', 'docker']));
});

test('a lab does not start with an invalid environment variable', async () => {
  const { end } = checkout.startWith(['ORDER_RECONCILE_EVERY_MS=soon'], 'up');
  expectBadUsage(await end, 'ORDER_RECONCILE_EVERY_MS');
  expect(checkout.processes()).toEqual([]);
});

test('an address without a lab gives one line that says what to do', async () => {
  const { code, stdout, stderr } = await checkout.run('verdict', 'phone', '--lab-url', 'http://127.0.0.1:1');
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({
    code: 1,
    stdout: '',
    lines: 1,
  });
  expect(stderr).toContain('npm start');
});

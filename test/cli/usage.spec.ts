import { Checkout } from './support';
import { expectBadUsage, testBadUsage } from './usage';

const checkout = new Checkout('usage');
afterAll(() => checkout.remove());

testBadUsage(checkout, [
  ['an unknown command', ['dance'], "unknown command 'dance'"],
  ['an unknown strategy', ['load', '--strategy', 'hope'], 'Choose one of: none, local-mutex'],
  ['--fault-on without a fault', ['load', '--fault-on', 'nth=4'], 'give --fault, too'],
  ['an open loop without orders', ['load', '--rate', '0'], 'a whole number from 1 to 20000'],
  ['an unknown limiter', ['limit', 'hope'], 'Choose some of: in-process'],
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
  ['a verdict without a running lab', ['verdict', 'phone'], 'no lab is running: start one with "npm start"'],
]);

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

test('--help exits with 0', async () => {
  for (const args of [[], ['load']]) {
    const { code, stdout } = await checkout.run(...args, '--help');
    expect({ args, code }).toEqual({ args, code: 0 });
    expect(stdout).toContain('Usage: lab');
  }
});

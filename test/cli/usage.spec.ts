import { Checkout } from './support';
import { testBadUsage } from './usage';

const checkout = new Checkout('usage');
afterAll(() => checkout.remove());

testBadUsage(checkout, [
  ['an unknown command', ['dance'], "unknown command 'dance'"],
  ['an unknown strategy', ['load', '--strategy', 'hope'], 'Choose one of: none, local-mutex'],
  ['a verdict without a running lab', ['verdict', 'phone'], 'no lab is running: start one with "npm start"'],
]);

test('--help exits with 0', async () => {
  for (const args of [[], ['load']]) {
    const { code, stdout } = await checkout.run(...args, '--help');
    expect({ args, code }).toEqual({ args, code: 0 });
    expect(stdout).toContain('Usage: lab');
  }
});

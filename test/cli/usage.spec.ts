import { Checkout } from './support';
import { expectBadUsage } from './usage';

const checkout = new Checkout('usage');
afterAll(() => checkout.remove());

// further command lines, in one process: usage.long.spec.ts
test.each([
  ['an unknown command', ['dance'], "unknown command 'dance'"],
  ['a verdict without a running lab', ['verdict', 'phone'], 'no lab is running: start one with "npm start"'],
])('%s exits with 2 and one line', async (_, args, why) => {
  expectBadUsage(await checkout.run(...args), why);
});

test('--help exits with 0', async () => {
  for (const args of [[], ['load']]) {
    const { code, stdout } = await checkout.run(...args, '--help');
    expect({ args, code }).toEqual({ args, code: 0 });
    expect(stdout).toContain('Usage: lab');
  }
});

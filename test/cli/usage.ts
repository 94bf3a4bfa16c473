import type { Checkout, Ended } from './support';

/** Expects exit code 2, nothing on standard output, and one line that says what is wrong. */
export function expectBadUsage({ code, stdout, stderr }: Ended, why: string): void {
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({
    code: 2,
    stdout: '',
    lines: 1,
  });
  expect(stderr).toContain(why);
}

/** Defines a test for each command line that is wrong in one way. */
export function testBadUsage(
  checkout: Checkout,
  rows: readonly (readonly [what: string, args: readonly string[], why: string])[],
): void {
  test.each(rows)('%s exits with 2 and one line', async (_, args, why) => {
    expectBadUsage(await checkout.run(...args), why);
  });
}

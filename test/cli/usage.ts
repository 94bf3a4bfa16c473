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

/** Defines a test for each command line that is wrong in one way; all of them run in one process. */
export function testBadUsage(
  checkout: Checkout,
  rows: readonly (readonly [what: string, args: readonly string[], why: string])[],
): void {
  let ends: readonly Ended[];
  beforeAll(async () => {
    ends = await checkout.runInOneProcess(rows.map(([, args]) => args));
  });
  test.each(rows.map((row, i) => [...row, i] as const))('%s exits with 2 and one line', (_, __, why, i) => {
    const end = ends[i];
    if (end === undefined) throw new Error('every command line has a result');
    expectBadUsage(end, why);
  });
}

import type { Checkout, Ended } from './support';

/** A line of progress: without a terminal, a command prints one every 15 s, so that it depends on the machine whether it does. */
const PROGRESS = /\d (?:schedules?|circumstances? left)\b/;

/** Expects exit code 2, nothing on standard output, and one line that says what is wrong. */
export function expectBadUsage({ code, stdout, stderr }: Ended, why: string): void {
  const said = stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !PROGRESS.test(line));
  expect({ code, stdout, said }).toEqual({
    code: 2,
    stdout: '',
    said: [expect.stringContaining(why) as string],
  });
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

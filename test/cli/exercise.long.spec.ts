import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Checkout } from './support';

const checkout = new Checkout('exercise-long');
beforeAll(() => {
  symlinkSync(resolve('walkthroughs'), join(checkout.root, 'walkthroughs'));
});
afterAll(() => checkout.remove());

const exercise = (...args: string[]): ReturnType<Checkout['run']> => checkout.run('exercise', ...args);
const FOLDER = join(checkout.root, 'exercise-02');

test('an exercise is started, judged, hinted at, solved and reset', async () => {
  const begun = await exercise('start', '2');
  expect([begun.code, begun.stdout]).toEqual([0, expect.stringContaining('npx lab exercise check 2')]);
  expect(existsSync(join(FOLDER, 'task.md'))).toBe(true);

  const again = await exercise('start', '2');
  expect([again.code, again.stdout]).toEqual([2, '']);

  const unsolved = await exercise('check', '2');
  expect(unsolved.code).toBe(1);

  const hints = [await exercise('hint', '2'), await exercise('hint', '2')];
  expect(hints.map(({ stdout }) => stdout.split('\n')[0])).toEqual([
    expect.stringMatching(/^Hint 1\/\d$/),
    expect.stringMatching(/^Hint 2\/\d$/),
  ]);

  cpSync(resolve('walkthroughs', 'exercises', '02-release-script', 'solution.js'), join(FOLDER, 'lock.js'));
  const solved = await exercise('check', '2');
  expect([solved.code, solved.stdout]).toEqual([
    0,
    expect.stringContaining('Next: npx lab exercise start 3'),
  ]);

  const mine = readFileSync(join(FOLDER, 'lock.js'), 'utf8');
  expect((await exercise('reset', '2')).code).toBe(0);
  expect(readFileSync(join(FOLDER, 'lock.js.bak'), 'utf8')).toBe(mine);
  expect(readFileSync(join(FOLDER, 'lock.js'), 'utf8')).not.toBe(mine);
});

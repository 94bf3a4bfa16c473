import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Checkout } from './support';
import { testBadUsage } from './usage';

const checkout = new Checkout('exercise');
beforeAll(() => {
  symlinkSync(resolve('walkthroughs'), join(checkout.root, 'walkthroughs'));
});
afterAll(() => checkout.remove());

const exercise = (...args: string[]): ReturnType<Checkout['run']> => checkout.run('exercise', ...args);
const FOLDER = join(checkout.root, 'exercise-02');

testBadUsage(checkout, [
  ['an exercise that does not exist', ['exercise', 'check', '9'], 'there is no exercise "9"'],
  ['the check of an exercise that was not started', ['exercise', 'check', '3'], 'exercise start 3'],
  ['a hint for an exercise that was not started', ['exercise', 'hint', '4'], 'exercise start 4'],
  ['an invalid number of schedules', ['exercise', 'check', '2', '--max', '0'], '--max'],
]);

test('a file that does not load is named, and no server is started', async () => {
  expect((await exercise('start', '2')).code).toBe(0);
  writeFileSync(join(FOLDER, 'lock.js'), 'exports.createLock = (');
  const { code, stdout, stderr } = await exercise('check', '2');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('lock.js');
  rmSync(FOLDER, { recursive: true });
});

test('a check without answer.txt is one line with exit code 2', async () => {
  expect((await exercise('start', '1')).code).toBe(0);
  rmSync(join(checkout.root, 'exercise-01', 'answer.txt'));
  const { code, stdout, stderr } = await exercise('check', '1');
  expect([code, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
  expect(stderr).toContain('exercise reset 1');
});

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
  expect(solved.stdout).toMatch(/^✓/); // no line of the progress

  const mine = readFileSync(join(FOLDER, 'lock.js'), 'utf8');
  expect((await exercise('reset', '2')).code).toBe(0);
  expect(readFileSync(join(FOLDER, 'lock.js.bak'), 'utf8')).toBe(mine);
  expect(readFileSync(join(FOLDER, 'lock.js'), 'utf8')).not.toBe(mine);
});

import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Checkout } from './support';

const checkout = new Checkout('exercise');
beforeAll(() => {
  symlinkSync(resolve('walkthroughs'), join(checkout.root, 'walkthroughs'));
});
afterAll(() => checkout.remove());

const exercise = (...args: string[]): ReturnType<Checkout['run']> => checkout.run('exercise', ...args);

test.each([
  [['check', '9'], 'There are the exercises 1 to'],
  [['check', '3'], 'exercise start 3'],
  [['hint', '4'], 'exercise start 4'],
  [['check', '2', '--max', '0'], '--max'],
])('lab exercise %j is refused in a sentence, with exit code 2', async (args, why) => {
  const { code, stdout, stderr } = await exercise(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(why);
});

test('a file that does not load is named, and no server is started', async () => {
  expect((await exercise('start', '2')).code).toBe(0);
  writeFileSync(join(checkout.root, 'exercise-02', 'lock.js'), 'exports.createLock = (');
  const { code, stdout, stderr } = await exercise('check', '2');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('lock.js');
});

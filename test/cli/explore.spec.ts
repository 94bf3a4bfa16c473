import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Checkout, eventually } from './support';

const checkout = new Checkout('explore');
afterAll(() => checkout.remove(), 30_000);
jest.setTimeout(180_000); // private servers and threads for each command

const file = join(checkout.root, 'dist', 'libs', 'strategy', 'src', 'strategies', 'none.js');
const source = readFileSync(file, 'utf8');
const marker = join(checkout.root, 'timer-has-run');

/** Puts a statement at the beginning of each request of `none`: a library that has timers of its own. */
function plant(statement: string): void {
  const planted = `apply: async (change, tools) => { ${statement}; return (0, read_modify_write_1.readModifyWrite)(change, tools); },`;
  writeFileSync(file, source.replace(/apply: .*,/, planted));
  expect(readFileSync(file, 'utf8')).toContain(planted);
}

async function expectNothingLeft(): Promise<void> {
  await eventually('nothing is left', () => checkout.processes().length === 0, 3000).catch(() => undefined);
  expect(checkout.processes()).toEqual([]);
}

describe('lab explore, when a strategy has timers of its own', () => {
  const mark = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`;

  test('ends with one Ctrl-C, though a request waits for its timer for ever', async () => {
    plant(`await new Promise(() => setInterval(() => ${mark}, 1))`);
    const running = checkout.start('explore', 'none');
    await eventually('the timer runs', () => existsSync(marker), 60_000);
    running.child.kill('SIGINT');
    const { code, stderr } = await running.end;
    expect(code).toBe(130);
    expect(stderr).toContain('none: interrupted before the first schedule ended');
    await expectNothingLeft();
  });

  test('says so and ends when a timer throws, which no request awaits', async () => {
    plant(`setTimeout(() => { throw new Error('a timer of a library') }, 1)`);
    const { code, stderr } = await checkout.run('explore', 'none');
    expect(code).toBe(1);
    expect(stderr).toContain('a worker of the explorer has died');
    expect(stderr).toContain('a timer of a library');
    await expectNothingLeft();
  });

  test('refuses a step that a timer makes after its schedule, and ends as usual', async () => {
    plant(`setTimeout(() => { void tools.redis.get('stray') }, 1)`);
    const { code, stdout } = await checkout.run('explore', 'none', '--max', '30');
    expect(stdout).toContain('DATA WRONG');
    expect([0, 1, 3]).toContain(code); // what it comes to depends on when the timer is due
    await expectNothingLeft();
  });
});

test('lab matrix of one strategy prints a plain table of it, and writes no page', async () => {
  writeFileSync(file, source);
  const { code, stdout } = await checkout.run('matrix', 'none', '--max', '8', '--enough', '4');
  expect([0, 1]).toContain(code); // so few schedules may miss what the catalogue says
  expect(stdout).toMatch(/^(NOT )?AS DOCUMENTED/);
  expect(stdout).toMatch(/^✗ none: of \d+ circumstances data wrong in \d+/m);
  expect(stdout).toMatch(/^two processes +✗ data wrong +\d+\/\d+\+? +oversold \d+/m);
  expect(stdout).not.toMatch(/^[|#]|setnx:/m);
  expect(stdout.split('\n').filter((line) => Array.from(line).length > 100)).toEqual([]);
  expect(existsSync(join(checkout.root, 'docs'))).toBe(false);
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Checkout, eventually } from './support';

const checkout = new Checkout('explore');
afterAll(() => checkout.remove());

const file = join(checkout.root, 'dist', 'libs', 'strategy', 'src', 'strategies', 'none.js');
const source = readFileSync(file, 'utf8');
const marker = join(checkout.root, 'timer-has-run');

/** Inserts a statement at the start of each request of `none`: it stands for a library with its own timers. */
function plant(statement: string): void {
  const planted = `apply: async (change, tools) => { ${statement}; return (0, read_modify_write_1.readModifyWrite)(change, tools); },`;
  writeFileSync(file, source.replace(/apply: .*,/, planted));
  expect(readFileSync(file, 'utf8')).toContain(planted);
}

describe('lab explore, with a strategy that has its own timers', () => {
  const mark = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`;

  test('exits on one Ctrl-C although a request waits for its timer forever', async () => {
    plant(`await new Promise(() => setInterval(() => ${mark}, 1))`);
    const running = checkout.start('explore', 'none');
    await eventually('the timer runs', () => existsSync(marker));
    running.child.kill('SIGINT');
    const { code, stderr } = await running.end;
    expect(code).toBe(130);
    expect(stderr).toContain('none: interrupted before the first schedule ended');
    await checkout.expectNoProcess();
  });

  test('reports a timer that throws without a request awaiting it, and exits', async () => {
    plant(`setTimeout(() => { throw new Error('a timer of a library') }, 1)`);
    const { code, stderr } = await checkout.run('explore', 'none');
    expect(code).toBe(1);
    expect(stderr).toContain('an explorer worker died');
    expect(stderr).toContain('a timer of a library');
    await checkout.expectNoProcess();
  });

  test('rejects a step that a timer issues after its schedule, and exits as usual', async () => {
    plant(`setTimeout(() => { void tools.redis.get('stray') }, 1)`);
    const { code, stdout } = await checkout.run('explore', 'none', '--max', '30');
    expect(stdout).toContain('DATA WRONG');
    expect([0, 1, 3]).toContain(code); // the result depends on when the timer fires
    await checkout.expectNoProcess();
  });
});

describe('lab explore, with an actor that issues no step', () => {
  test('that waits for something else: says which actor, after which step, and exits', async () => {
    plant(`await tools.redis.get('x'); await new Promise(() => undefined)`);
    const { code, stderr } = await checkout.run('explore', 'none');
    expect(code).toBe(1);
    expect(stderr).toContain('an actor runs without a step: A after "GET x"');
    await checkout.expectNoProcess();
  });

  test('that loops without end: says so while it runs, then ends the search', async () => {
    plant('for (;;);');
    const { code, stderr } = await checkout.run('explore', 'none');
    expect(code).toBe(1);
    expect(stderr).toContain('A does not return after its start: an endless loop');
    expect(stderr).toContain('and the search was ended');
    await checkout.expectNoProcess();
  });
});

describe('lab explore --time', () => {
  test('ends the search, says that it is not complete, and how to search longer', async () => {
    writeFileSync(file, source);
    const { code, stdout } = await checkout.run('explore', 'redlock', '--faults', 'pause:1', '--time', '2s');
    expect([0, 1, 3]).toContain(code); // depends on what was found until then
    const text = stdout.replace(/\s+/g, ' '); // where a line is wrapped depends on the figures in it
    expect(text).toContain('not every schedule was run');
    expect(text).toContain('--time 10m searches longer');
    await checkout.expectNoProcess();
  });

  test('rejects what is not a time', async () => {
    const { code, stderr } = await checkout.run('explore', 'none', '--time', 'soon');
    expect([code, stderr.trim().split('\n').length]).toEqual([2, 1]);
  });
});

test('lab matrix --summary prints one table: a line for each strategy, a column for each circumstance that can occur', async () => {
  const { code, stdout } = await checkout.run('matrix', 'none', 'conditional-update', '--summary');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^AS DOCUMENTED/);
  expect(stdout).toMatch(/^none( +✗){6}$/m);
  expect(stdout).toMatch(/^conditional-update( +✓){6}$/m);
  expect(stdout.split('\n').filter((line) => Array.from(line).length > 80)).toEqual([]);
  const page = await checkout.run('matrix', '--summary', '--docs', 'page.md');
  expect([page.code, page.stderr.trim().split('\n').length]).toEqual([2, 1]);
});

test('lab matrix of one strategy prints a plain table of it, and writes no page', async () => {
  writeFileSync(file, source);
  const { code, stdout } = await checkout.run('matrix', 'none', '--max', '8', '--enough', '4');
  expect([0, 1]).toContain(code); // so few schedules may miss what the catalogue says
  expect(stdout).toMatch(/^(NOT )?AS DOCUMENTED/);
  expect(stdout).toMatch(/^✗ none: \d+ circumstances, data wrong in \d+/m);
  expect(stdout).toMatch(/^two processes +✗ data wrong +\d+\/\d+\+? +oversold \d+/m);
  expect(stdout).not.toMatch(/^[|#]|setnx:/m);
  expect(stdout.split('\n').filter((line) => Array.from(line).length > 100)).toEqual([]);
  expect(existsSync(join(checkout.root, 'docs'))).toBe(false);
});

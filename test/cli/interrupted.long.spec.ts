import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Checkout, eventually, expectNoProcessIn, Running } from './support';

const JEST = resolve('node_modules', 'jest', 'bin', 'jest.js');

const checkout = new Checkout('interrupted');
afterAll(() => checkout.remove());

const interrupt = async (running: Running, signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> => {
  running.child.kill(signal);
  return (await running.end).code;
};

/** Bytes of history that the replicas of a run have written: shows that the load is in progress. */
function recorded(): number {
  const folder = join(checkout.root, '.lab');
  const runs = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('run-')) : [];
  return Math.max(
    0,
    ...runs.map((run) => {
      const file = join(folder, run, 'history', 'inventory-1.jsonl');
      return existsSync(file) ? statSync(file).size : 0;
    }),
  );
}

/** Whether a helper has recorded that it saw a replica of the run paused. */
function hasPaused(): boolean {
  const folder = join(checkout.root, '.lab');
  const runs = readdirSync(folder).filter((name) => name.startsWith('run-'));
  return runs.some((run) =>
    ['inventory-1', 'inventory-2'].some((replica) => {
      const file = join(folder, run, 'history', `${replica}.jsonl`);
      return existsSync(file) && readFileSync(file, 'utf8').includes('"type":"stopped"');
    }),
  );
}

describe('Ctrl-C leaves no process', () => {
  test.each([
    ['before any process was started', ''],
    ['while the servers start', 'starting Redis and the database'],
    ['while the schemas are migrated', 'migrating the schema of inventory'],
  ])('of lab up, %s', async (_, moment) => {
    const running = checkout.start('up');
    if (moment === '') await eventually('a process runs', () => checkout.processes().length > 0);
    else await running.prints(moment);
    const code = await interrupt(running);
    expect(moment === '' ? [130, null] : [130]).toContain(code);
    await checkout.expectNoProcess();
  });

  test('of lab up when it is pressed twice', async () => {
    const running = checkout.start('up');
    await running.prints('Ctrl-C stops everything');
    running.child.kill('SIGINT');
    await running.prints('stopping what this command started');
    expect(await interrupt(running)).toBe(130);
    await checkout.expectNoProcess();
  });

  test('of lab load, in the middle of the load', async () => {
    const running = checkout.start('load', '--strategy', 'setnx', '--requests', '5000', '--work-ms', '20');
    await eventually('the load is in progress', () => recorded() > 20_000);
    expect(await interrupt(running)).toBe(130);
    await checkout.expectNoProcess();
  });

  test('of lab load, while a fault pauses a replica: its helper is terminated too', async () => {
    const fault = 'before(DEL)=pause(30000)';
    const running = checkout.start('load', '--strategy', 'setnx', '--fault', fault);
    await eventually('the helper has seen the replica paused', () => hasPaused());
    expect(await interrupt(running)).toBe(130);
    await checkout.expectNoProcess();
  });

  test('of lab demo, between two rows', async () => {
    const running = checkout.start('demo');
    await running.prints('[1/');
    expect(await interrupt(running)).toBe(130);
    await checkout.expectNoProcess();
  });

  test('of lab up on SIGTERM', async () => {
    const running = checkout.start('up');
    await running.prints('Ctrl-C stops everything');
    expect(await interrupt(running, 'SIGTERM')).toBe(130);
    await checkout.expectNoProcess();
  });

  test.each([
    ['while the servers start', 'pids.json'],
    ['while the specs run', 'stack.json'],
  ])('of npm test, %s: it arrives several times', async (_, file) => {
    const command = [
      '-u',
      'LAB_TEST_SERVERS',
      process.execPath,
      JEST,
      '-w',
      '4',
      'test/explore/realm.spec.ts',
    ];
    const jest = spawn('env', command, { stdio: 'ignore' });
    const running = new Running(jest);
    const folders = [1, 2, 3, 4].map((worker) => resolve('.lab', `test-${worker}-${jest.pid ?? ''}`));
    await eventually('the servers of the run start', () =>
      folders.every((folder) => existsSync(join(folder, file))),
    );
    const pressing = setInterval(() => jest.kill('SIGINT'), 50);
    const { code } = await running.end;
    clearInterval(pressing);
    expect(code).toBe(130);
    for (const folder of folders) await expectNoProcessIn(folder);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  });
});

test('after SIGKILL of lab up a new one starts in its place and stops normally', async () => {
  const first = checkout.start('up');
  await first.prints('Ctrl-C stops everything');
  await interrupt(first, 'SIGKILL');
  const second = checkout.start('up');
  await second.prints('Ctrl-C stops everything');
  const servers = checkout.processes().filter((line) => /mariadbd|mysqld/.test(line));
  expect(servers).toHaveLength(1);
  expect(await interrupt(second)).toBe(130);
  await checkout.expectNoProcess();
});

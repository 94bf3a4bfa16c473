import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { own } from '../../libs/stack/src/identity';
import { Checkout } from './support';
import { testBadUsage } from './usage';

const checkout = new Checkout('clean');
afterAll(() => checkout.remove());

/** Higher than any process id of Linux. */
const NO_PROCESS = 4_194_305;

const path = (...parts: string[]): string => join(checkout.root, ...parts);

/** Creates run folders; run-1 is the oldest. */
function makeRuns(count: number): void {
  for (let i = 1; i <= count; i++) {
    mkdirSync(path('runs', `run-${i}`), { recursive: true });
    writeFileSync(path('runs', `run-${i}`, 'history.jsonl'), 'x'.repeat(1000));
    utimesSync(path('runs', `run-${i}`), i, i);
  }
}

/** Creates the folder of a stack, with the process that owns it. */
function makeStack(name: string, owner?: object): void {
  mkdirSync(path('.lab', name, 'logs'), { recursive: true });
  if (owner !== undefined)
    writeFileSync(path('.lab', name, 'pids.json'), JSON.stringify({ owner, processes: [] }));
}

const runs = (): string[] => readdirSync(path('runs')).sort();
const stacks = (): string[] => readdirSync(path('.lab')).sort();

beforeEach(() => {
  makeRuns(14);
  makeStack('up', own()); // as if this process ran a lab there
  makeStack(`run-${NO_PROCESS}`);
  makeStack(`demo-${NO_PROCESS}`, { pid: NO_PROCESS, start: '1' });
  makeStack(`explore-${process.pid}`);
  mkdirSync(path('.lab', 'template', 'mariadb'), { recursive: true });
});

test('lab clean keeps the newest runs and every running lab', async () => {
  const { code, stdout } = await checkout.run('clean');
  expect({ code, last: stdout.trimEnd().split('\n').at(-1) }).toEqual({
    code: 0,
    last: expect.stringMatching(/^removed 6 folders, \d+\.\d MB$/) as string,
  });
  expect(runs()).toHaveLength(10);
  expect(runs()).not.toContain('run-4');
  expect(stacks()).toEqual([`explore-${process.pid}`, 'template', 'up']);
});

test('--dry-run lists what would be removed and removes nothing', async () => {
  const before = [runs(), stacks()];
  const { code, stdout } = await checkout.run('clean', '--dry-run', '--keep', '13');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^runs\/run-1 .*would remove 3 folders/s);
  expect([runs(), stacks()]).toEqual(before);
});

test('--all keeps no run; the database templates stay while a lab runs', async () => {
  expect((await checkout.run('clean', '--all')).code).toBe(0);
  expect(runs()).toEqual([]);
  expect(existsSync(path('.lab', 'template'))).toBe(true);
  makeStack('up', { pid: NO_PROCESS, start: '1' });
  expect((await checkout.run('clean', '--all')).code).toBe(0);
  expect(stacks()).toEqual([`explore-${process.pid}`]);
});

testBadUsage(checkout, [
  ['a number of runs that is none', ['clean', '--keep', 'many'], 'whole number'],
  ['--all with --keep', ['clean', '--all', '--keep', '3'], '--all keeps no run folder'],
  ['an argument', ['clean', 'runs'], 'too many arguments'],
]);

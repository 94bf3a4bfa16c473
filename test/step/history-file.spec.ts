import { Recorder, type HistoryLine, type RotatedLine } from '#lab/step';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIMIT = 8192;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lab-history-file-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const open = (limitBytes = LIMIT): Recorder => new Recorder(dir, 'inventory-1', { limitBytes });
const pathOf = (name: string): string => join(dir, `${name}.jsonl`);
const CURRENT = 'inventory-1';
const PREVIOUS = 'inventory-1.previous';
const linesOf = (name: string): HistoryLine[] =>
  readFileSync(pathOf(name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HistoryLine);
const sizeOnDisk = (): number =>
  readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
const resets = (name: string): number[] =>
  linesOf(name).flatMap((line) => (line.type === 'reset' ? [line.amount] : []));
const header = (): RotatedLine => {
  const [first] = linesOf(CURRENT);
  if (first?.type !== 'rotated') throw new Error('the current file does not begin with a rotated line');
  return first;
};

/** Writes numbered lines until the files have been rotated so often. */
function writeUntilRotated(recorder: Recorder, times: number): number {
  let written = 0;
  let before = statSync(pathOf(CURRENT)).ino;
  while (times > 0) {
    recorder.note({ type: 'reset', balance: 'a', amount: ++written });
    recorder.flush();
    const { ino } = statSync(pathOf(CURRENT));
    if (ino !== before) times--;
    before = ino;
    expect(sizeOnDisk()).toBeLessThanOrEqual(LIMIT);
  }
  return written;
}

test('the files stay below the limit, keep the newest lines and tell what was dropped', () => {
  const recorder = open();
  writeUntilRotated(recorder, 1);
  expect(header()).toMatchObject({ droppedBytes: 0, droppedUntil: null, replica: 'inventory-1' });
  const first = { bytes: statSync(pathOf(PREVIOUS)).size, closedAt: header().t };
  writeUntilRotated(recorder, 1);
  expect(header()).toMatchObject({ droppedBytes: first.bytes, droppedUntil: first.closedAt });
  const second = { bytes: statSync(pathOf(PREVIOUS)).size, closedAt: header().t };
  const written = writeUntilRotated(recorder, 1);
  expect(header()).toMatchObject({ droppedBytes: first.bytes + second.bytes, droppedUntil: second.closedAt });
  recorder.close();
  const kept = [...resets(PREVIOUS), ...resets(CURRENT)];
  expect(kept.slice(-written)).toEqual(Array.from({ length: written }, (_, i) => i + 1));
});

test('a process that continues the files of another one continues its count', () => {
  const first = open();
  writeUntilRotated(first, 2);
  first.close();
  const { droppedBytes } = header();
  const inPrevious = statSync(pathOf(PREVIOUS)).size;
  const second = open();
  writeUntilRotated(second, 1);
  second.close();
  expect(header().droppedBytes).toBe(droppedBytes + inPrevious);
});

test('a process that was killed in the middle of a rotation leaves no drop untold', () => {
  const first = open();
  writeUntilRotated(first, 2);
  first.close();
  const before = header();
  renameSync(pathOf(CURRENT), join(dir, 'inventory-1.next')); // the state between the two renames
  open().close();
  expect(header()).toEqual(before);
  expect(readdirSync(dir).sort()).toEqual([`${CURRENT}.jsonl`, `${PREVIOUS}.jsonl`]);
});

test('a run begins with room: its file is rotated when less than half of it is free', () => {
  const recorder = open();
  recorder.note({ type: 'reset', balance: 'a', amount: 1 });
  recorder.makeRoom();
  expect(readdirSync(dir)).toEqual([`${CURRENT}.jsonl`]);
  while (statSync(pathOf(CURRENT)).size <= LIMIT / 4) {
    recorder.note({ type: 'reset', balance: 'a', amount: 1 });
    recorder.flush();
  }
  recorder.makeRoom();
  expect(linesOf(CURRENT)).toHaveLength(1);
  recorder.close();
});

test('a file that another process has truncated is not rotated before it is full', () => {
  const recorder = open();
  for (let round = 0; round < 10; round++) {
    recorder.note({ type: 'reset', balance: 'x'.repeat(LIMIT / 4), amount: 1 });
    recorder.flush();
    truncateSync(pathOf(CURRENT));
  }
  expect(readdirSync(dir)).toEqual([`${CURRENT}.jsonl`]);
  recorder.close();
});

test('a recorder without a limit, that of the process beside a replica, drops nothing', () => {
  const recorder = new Recorder(dir, 'inventory-1', { pid: 7 });
  for (let i = 0; i < 1000; i++) recorder.note({ type: 'stopped', because: 'its state is T' });
  recorder.close();
  expect(linesOf(CURRENT)).toHaveLength(1000);
});

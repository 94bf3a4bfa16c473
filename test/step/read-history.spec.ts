import { readHistory } from '#lab/http';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const dir = resolve('.lab', `test-read-history-${process.pid}`);
beforeEach(() => mkdirSync(dir, { recursive: true }));
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const write = (replica: string, lines: readonly object[], end = ''): void => {
  const text = lines.map((line) => `${JSON.stringify({ replica, pid: 1, ...line })}\n`).join('');
  writeFileSync(join(dir, `${replica}.jsonl`), `${text}${end}`);
};
const reset = (t: number, balance: string) => ({ type: 'reset', t, balance });
const request = (t: number, balance: string) => ({ type: 'request', t, balance, request: `r${t}` });
const step = (t: number, of: number, text = 'GET') => ({ type: 'step', t, took: 1, request: `r${of}`, text });
const times = async (balance: string): Promise<number[]> =>
  (await readHistory(dir, balance)).map((line) => (JSON.parse(line) as { t: number }).t);

test('returns the events of the balance since its last reset, from all replicas, by time', async () => {
  write('inventory-1', [
    reset(1, 'a'),
    request(2, 'a'),
    reset(3, 'b'),
    step(4, 2),
    reset(6, 'a'),
    step(7, 2),
  ]);
  write('inventory-2', [request(5, 'a'), request(8, 'a'), request(9, 'b'), step(10, 9), step(11, 8)]);
  write('supervisor', [{ type: 'exit', t: 12 }]);
  expect(await times('a')).toEqual([6, 8, 11, 12]);
  expect(await times('b')).toEqual([3, 9, 10, 12]);
  expect(await times('never reset')).toEqual([12]);
});

test('is independent of the length of earlier events and of a line', async () => {
  const old = Array.from({ length: 30_000 }, (_, i) => [request(2 * i, 'a'), step(2 * i + 1, 2 * i)]).flat();
  const since = [
    request(100_001, 'a'),
    step(100_002, 100_001, 'x'.repeat(3_000_000)),
    step(100_003, 100_001),
  ];
  const many = Array.from({ length: 30_000 }, (_, i) => step(100_004 + i, 100_001));
  write('inventory-1', [...old, reset(100_000, 'a'), ...since, ...many]);
  write('inventory-2', old);
  const found = await times('a');
  expect([found.length, found.slice(0, 4), found.at(-1)]).toEqual([
    4 + many.length,
    [100_000, 100_001, 100_002, 100_003],
    100_003 + many.length,
  ]);
});

test('says that lines were dropped only where they belong to the time since the last reset', async () => {
  const rotated = (t: number, droppedUntil: number | null) => ({ type: 'rotated', t, droppedUntil });
  write('inventory-1', [rotated(50, 20), reset(60, 'b'), request(61, 'a')]);
  write('inventory-1.previous', [rotated(20, null), reset(21, 'a'), request(22, 'a'), step(23, 22)]);
  write('inventory-2', [request(24, 'a'), step(62, 24)]);
  expect(await times('a')).toEqual([21, 22, 23, 24, 61, 62]);
  expect(await times('b')).toEqual([60]);
  expect(await times('reset before')).toEqual([50]);
  write('inventory-2', [rotated(40, 30), step(62, 24)]);
  expect(await times('a')).toEqual([21, 22, 23, 40, 61]);
  expect(await times('b')).toEqual([60]);
});

test('omits a line that was cut off, whether it ends the file or the next line was appended to it', async () => {
  const cut = '{"t":3,"type":"step","took":1,"request":"r2","lock":{"owner":"r2"}';
  const whole = '{"t":4,"type":"step","took":1,"request":"r2","reply":{"t":1}}';
  write('inventory-1', [reset(1, 'a'), request(2, 'a')], `${cut}${whole}\n${whole}\n${cut}`);
  expect(await times('a')).toEqual([1, 2, 4]);
});

test('omits a truncated last line and a missing folder', async () => {
  write('inventory-1', [reset(1, 'a'), request(2, 'a')], '{"type":"step","t":3,"requ');
  expect(await times('a')).toEqual([1, 2]);
  rmSync(dir, { recursive: true });
  expect(await times('a')).toEqual([]);
});

import { Recorder, brief, observe, step, type HistoryLine } from '#lab/step';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lab-recorder-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const lines = (): HistoryLine[] =>
  readFileSync(join(dir, 'inventory-1.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HistoryLine);

const request = {
  app: 'inventory',
  request: 'r1',
  balance: 'item',
  delta: -1,
  strategy: 'none',
  options: { workMs: 0 },
};

test('a request and its steps are JSON lines, numbered in the order of their replies', async () => {
  const recorder = new Recorder(dir, 'inventory-1');
  await observe({ actor: 'r1', listener: recorder.request(request) }, async () => {
    await step(
      () => ({ kind: 'redis', verb: 'SETNX', text: 'SETNX k v', key: 'k' }),
      () => Promise.resolve(1),
    );
    await step(
      () => ({ kind: 'sql', verb: 'COMMIT', text: 'COMMIT' }),
      () => Promise.reject(new Error('gone')),
    ).catch(() => undefined);
  });
  recorder.close();
  const [first, set, commit] = lines();
  expect(first).toMatchObject({ type: 'request', replica: 'inventory-1', pid: process.pid, ...request });
  expect(set).toMatchObject({ type: 'step', request: 'r1', n: 1, verb: 'SETNX', key: 'k', reply: 1 });
  expect(commit).toMatchObject({ type: 'step', n: 2, verb: 'COMMIT', error: 'gone' });
  expect((commit as { t: number }).t).toBeGreaterThanOrEqual((set as { t: number }).t);
});

test('a flush before a kill writes the steps without a reply', () => {
  const recorder = new Recorder(dir, 'inventory-1');
  void observe({ actor: 'r1', listener: recorder.request(request) }, () =>
    step(
      () => ({ kind: 'sql', verb: 'UPDATE', text: 'UPDATE' }),
      () => new Promise(() => undefined),
    ),
  );
  recorder.flush(true);
  expect(lines()).toMatchObject([{ type: 'request' }, { type: 'step', verb: 'UPDATE', pending: true }]);
  recorder.close();
});

test('a reply is abbreviated: the counts of a write, the beginning of a long value, null for a value without JSON', () => {
  expect(brief({ affectedRows: 1, insertId: 7, info: '…', serverStatus: 2 })).toEqual({
    affectedRows: 1,
    insertId: 7,
  });
  expect(brief(['x'.repeat(500)])).toHaveLength(201);
  expect(brief(Buffer.from('OK'))).toBe('OK');
  expect(brief(undefined)).toBeNull();
  expect(brief(() => undefined)).toBeNull();
});

import { holdFile } from '#lab/stack';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDir } from './support';

function freshFile(): string {
  const folder = freshDir();
  mkdirSync(folder, { recursive: true });
  return join(folder, 'load.json');
}

const neverWaits = {
  onWait: (pid: number) => {
    throw new Error(`waited for ${pid}`);
  },
};

test('the second one waits until the first one releases, and learns the process that holds the file', async () => {
  const file = freshFile();
  const release = await holdFile(file, neverWaits);
  const onWait = jest.fn<undefined, [number]>();
  const held = holdFile(file, { onWait });
  expect(onWait.mock.calls).toEqual([[process.pid]]);
  expect(existsSync(file)).toBe(true);
  release();
  (await held)();
  expect(existsSync(file)).toBe(false);
});

test('what a killed process held is free', async () => {
  const file = freshFile();
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  writeFileSync(file, JSON.stringify({ pid: child.pid, start: '1' }));
  (await holdFile(file, neverWaits))();
  expect(existsSync(file)).toBe(false);
});

test('a file that is not JSON is free', async () => {
  const file = freshFile();
  writeFileSync(file, '');
  (await holdFile(file, neverWaits))();
  expect(existsSync(file)).toBe(false);
});

test('the wait ends with its signal', async () => {
  const file = freshFile();
  const release = await holdFile(file, neverWaits);
  const aborting = new AbortController();
  const waiting = holdFile(file, {
    onWait: () => {
      aborting.abort(new Error('Ctrl-C'));
    },
    signal: aborting.signal,
  });
  await expect(waiting).rejects.toThrow();
  release();
});

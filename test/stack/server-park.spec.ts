import { ServerPark } from '#lab/stack';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, freshDir, recordedPids } from './support';

/** Also true for a zombie, whose exit its parent has not collected. */
const exists = (pid: number): boolean => existsSync(`/proc/${pid}`);

test('a park that stops during a start leaves no process and writes no file afterwards', async () => {
  const dir = freshDir();
  const park = await ServerPark.open(dir);
  const starting = park.redisCluster().then(
    () => 'started',
    () => 'aborted',
  );
  await eventually('some nodes run', () => recordedPids(dir).length >= 3);
  const pids = recordedPids(dir);
  await park.stop();
  expect(pids.filter(exists)).toEqual([]);
  expect(existsSync(join(dir, 'pids.json'))).toBe(false);
  expect(await starting).toBe('aborted');
  rmSync(dir, { recursive: true });
  park.adopt('a process that is reported too late', process.pid)();
  expect(existsSync(dir)).toBe(false);
});

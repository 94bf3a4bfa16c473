import { ServerPark } from '#lab/stack';
import { eventually, freshDir, isRunning, recordedPids } from './support';

test('a park that stops in the middle of a start leaves no process behind', async () => {
  const dir = freshDir();
  const park = await ServerPark.open(dir);
  const starting = park.redisCluster().then(
    () => 'started',
    () => 'given up',
  );
  await eventually('some nodes run', () => recordedPids(dir).length >= 3);
  const pids = recordedPids(dir);
  await park.stop();
  expect(await starting).toBe('given up');
  expect(pids.filter(isRunning)).toEqual([]);
});

import { Schedule, World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { startProcesses, type Stack } from '#lab/stack';
import type { ScheduleHistory } from '#lab/verdict';
import { schemaOf } from '../harness/servers';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';

const dir = resolve('.lab', `test-replica-${process.pid}`);
let stack: Stack;
let world: World;
/** As `world`, for a replica that is paused: `REPLICA_MS` after which the other one has acknowledged, however busy it is. */
let lacking: World;
const REPLICA_MS = 5000;
beforeAll(async () => {
  // of our own: others must not meet a replica that stands still
  const replicas = { order: 0, inventory: 0 };
  stack = await startProcesses({ dir, replicas, lab: true, durability: 'relaxed', components: ['replica'] });
  const schema = schemaOf(__filename);
  world = await World.open({ ...stack.urls, redisDb: 1, schema });
  lacking = await World.open({ ...stack.urls, redisDb: 2, schema: `${schema}_2`, replicaMs: REPLICA_MS });
});
afterAll(async () => {
  await world.close();
  await lacking.close();
  await stack.stop();
  rmSync(dir, { recursive: true, force: true });
});

const sellOne = async (at = world): Promise<Schedule> => {
  const s = await Schedule.begin(at, findStrategy('replicated'), { processes: ['p1'] });
  await s.A.finish();
  return s;
};

const acknowledgement = ({ events }: ScheduleHistory): unknown =>
  events.find((event) => event.type === 'step' && event.text.startsWith('WAIT 2'));

test('both replicas acknowledge: it is sold', async () => {
  const s = await sellOne();
  expect(s.A.outcome).toBe('APPLIED');
  expect(acknowledgement((await s.end()).history)).toMatchObject({
    kind: 'redis',
    reply: 2,
    server: 'primary',
  });
});

test('one stands still: WAIT answers 1, the lock is given back, and the buyer is told why', async () => {
  await stack.pause('replica-2');
  const s = await sellOne(lacking);
  const { history } = await s.end();
  expect(s.A.outcome).toBe('LOCK.NOT_REPLICATED');
  expect(acknowledgement(history)).toMatchObject({ reply: 1 });
  expect(history.events.find(({ type }) => type === 'end')).toMatchObject({
    text: expect.stringContaining('1 of 2 replicas acknowledged it') as string,
  });
  expect(history.final).toMatchObject({ amount: 1, movements: [], locks: [] });
});

test('it goes on: it is sold again', async () => {
  await stack.resume('replica-2');
  expect((await sellOne()).A.outcome).toBe('APPLIED');
});

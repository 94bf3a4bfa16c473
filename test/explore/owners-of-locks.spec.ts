import { Schedule, before, type World } from '#lab/explore';
import { findStrategy } from '#lab/strategy';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());

const owners = ({ run }: Schedule): (string | undefined)[] => run.locks.states().map(({ owner }) => owner);

/** The value of these locks is a token or a name: in a key, a row, a node, or the head of a queue. */
test.each([
  ['token-lua', ['A']],
  ['fair', ['A']],
  ['mysql-lock-table', ['A']],
  ['mysql-lock-table-ttl', ['A']],
  ['redis-and-table', ['A', 'A']],
  ['zookeeper', ['A']],
  ['zookeeper-herd', ['A']],
  ['etcd', ['A']],
])('%s: the lock is attributed to the actor that issued its token', async (name, expected) => {
  const schedule = await Schedule.begin(world, findStrategy(name), { stock: 2 });
  const { A, B } = schedule;
  await A.runUntil(before('UPDATE balance SET amount'));
  await B.finish(); // tries, and waits
  expect(owners(schedule)).toEqual(expected);
  await A.finish();
  await B.runUntil(before('UPDATE balance SET amount'));
  expect(owners(schedule)).toEqual(expected.map(() => 'B'));
  expect((await schedule.end()).verdict.violations).toEqual([]);
});

import { cellOf, explore, planOf, type Tally } from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

/** A lock with SET NX PX, in front of which `first` runs, in the memory of the process. */
const lockAfter = (file: string, first: string): Strategy =>
  ofFile(
    file,
    `let isMine = false;
     exports.createLock = ({ redis }) => ({
       async acquire(resource, { leaseMs, waitMs }) {
         ${first}
         const until = Date.now() + waitMs;
         while ((await redis.set(resource, '1', 'PX', leaseMs, 'NX')) !== 'OK') {
           if (Date.now() >= until) return undefined;
           await new Promise((resolve) => setTimeout(resolve, 100));
         }
         isMine = true;
         return { resource };
       },
       async release({ resource }) {
         isMine = false;
         await redis.del(resource);
       },
     });`,
  );

const tallyOf = (strategy: Strategy, cell: string): Promise<Tally> =>
  explore(world(), planOf(strategy, cellOf(cell)), { max: 300 });

test('a request may reach its process while another one holds the lock: code before its first step sees that', async () => {
  const strategy = lockAfter('flag.js', 'if (isMine) return { resource };');
  const tally = await tallyOf(strategy, 'same process');
  expect([...tally.kinds.keys()]).toContain('oversold');
});

test('without such code the lock excludes the requests of one process', async () => {
  const { kinds, partial, schedules } = await tallyOf(lockAfter('no-flag.js', ''), 'same process');
  expect([[...kinds.keys()], partial]).toEqual([[], false]);
  expect(schedules).toBeGreaterThan(1);
});

test('requests of different processes have no step of their arrival: nothing depends on it', async () => {
  const strategy = lockAfter('flag-of-one.js', 'if (isMine) return { resource };');
  const { kinds, partial } = await tallyOf(strategy, 'two processes');
  expect([[...kinds.keys()], partial]).toEqual([[], false]);
});

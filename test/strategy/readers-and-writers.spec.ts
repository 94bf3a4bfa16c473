import type { World } from '#lab/explore';
import { DEFAULT_OPTIONS, readWriteLock, UpgradeRefused, type Options } from '#lab/strategy';
import { LONGER_THAN_A_TEST } from '../harness/limits';
import { openWorld } from '../harness/servers';

let world: World;
beforeAll(async () => {
  world = await openWorld(__filename);
});
afterAll(() => world.close());
beforeEach(() => world.redis.flushdb());

const READERS = 'readers:{item}';
const WRITER_WAITS = 'writer-waits:{item}';

type Sides = ReturnType<typeof readWriteLock>;

const request = (name: string, options: Partial<Options> = {}): Sides => {
  const [connections] = world.connectionsOfActors;
  if (connections === undefined) throw new Error('the world has no connections of actors');
  return readWriteLock('item', name, {
    redis: connections.redis,
    options: { ...DEFAULT_OPTIONS, ...LONGER_THAN_A_TEST, ...options },
  });
};

/** Tries the locks one after another and returns the results. */
async function tries(...locks: Sides['read'][]): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (const lock of locks) answers.push(await lock.tryAcquire());
  return answers;
}

test('readers share the lock', async () => {
  expect(await tries(request('a').read, request('b').read, request('c').read)).toEqual([true, true, true]);
});

test('a writer excludes other writers and all readers', async () => {
  const writer = request('a').write;
  expect(await tries(writer, request('b').write, request('c').read)).toEqual([true, false, false]);
  await writer.release();
  expect(await tries(request('b').write)).toEqual([true]);
});

test('a writer waits for the last reader', async () => {
  const [a, b] = [request('a').read, request('b').read];
  const writer = request('w').write;
  expect(await tries(a, b, writer)).toEqual([true, true, false]);
  await a.release();
  expect(await tries(writer)).toEqual([false]);
  await b.release();
  expect(await tries(writer)).toEqual([true]);
});

test('new readers wait behind a waiting writer', async () => {
  const [early, late] = [request('a').read, request('b').read];
  const writer = request('w').write;
  expect(await tries(early, writer, late)).toEqual([true, false, false]);
  await early.release();
  expect(await tries(late, writer, late)).toEqual([false, true, false]);
  await writer.release();
  expect(await tries(late)).toEqual([true]);
});

test('a writer that does not wait blocks no reader', async () => {
  expect(await tries(request('a').read, request('w', { waitMs: 0 }).write, request('b').read)).toEqual([
    true,
    false,
    true,
  ]);
});

test('the flag of a waiting writer that crashed expires when the writer would have stopped waiting', async () => {
  await tries(request('a').read, request('w', { waitMs: 200_000 }).write);
  const left = await world.redis.pttl(WRITER_WAITS);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(200_000);
});

test("the flag lasts until the writer's next attempt, however rare its attempts are", async () => {
  const options = { leaseMs: 1000, retryMs: 100_000 }; // jitter: an attempt is up to 1.5 times as late
  await tries(request('a').read, request('w', options).write);
  expect(await world.redis.pttl(WRITER_WAITS)).toBeGreaterThan(150_000);
});

test('a dead reader expires: behind a waiting writer no new reader prolongs it', async () => {
  await tries(request('dead', { leaseMs: 400_000 }).read, request('w').write);
  expect(await tries(request('b').read)).toEqual([false]);
  expect(await world.redis.pttl(READERS)).toBeLessThanOrEqual(400_000);
  await world.redis.del(READERS); // what Redis does when the key expires
  expect(await tries(request('w').write)).toEqual([true]);
});

test('a later reader with a shorter lease does not shorten an earlier one', async () => {
  await tries(request('a').read, request('b', { leaseMs: 1000 }).read);
  expect(await world.redis.pttl(READERS)).toBeGreaterThan(500_000);
});

test('an upgrade from reader to writer is refused with the advice to release the read lock', async () => {
  const { read, write } = request('a');
  await tries(read);
  const refused = write.tryAcquire();
  await expect(refused).rejects.toBeInstanceOf(UpgradeRefused);
  await expect(refused).rejects.toMatchObject({ code: 'LOCK.UPGRADE', message: /Release the read lock/ });
  await read.release();
  expect(await tries(write)).toEqual([true]);
});

test('a writer may also read', async () => {
  const { read, write } = request('a');
  expect(await tries(write, read, request('b').read)).toEqual([true, true, false]);
});

test('a release without an acquisition removes no other reader', async () => {
  await tries(request('a').read);
  await request('b').read.release();
  await request('b').write.release();
  expect(await tries(request('w').write)).toEqual([false]);
});

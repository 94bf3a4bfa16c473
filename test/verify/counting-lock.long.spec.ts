import { cellOf, explore, planOf, type Tally } from '#lab/explore';
import type { Strategy } from '#lab/strategy';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

/** A lock that is a number: a request takes it when `count` returns 1. */
const countingLock = (name: string, count: string): Strategy =>
  ofFile(
    `${name}.js`,
    `exports.createLock = ({ redis }) => ({
       async acquire(resource, { leaseMs, waitMs }) {
         const end = Date.now() + waitMs;
         for (;;) {
           if ((await ${count}) === 1) return resource;
           if (Date.now() >= end) return undefined;
           await new Promise((resolve) => setTimeout(resolve, 100));
         }
       },
       release: (resource) => redis.del(resource),
     });`,
  );
const RENEWS = 'redis.multi().incr(resource).pexpire(resource, leaseMs).exec().then(([[, n]]) => n)';
const ONLY_COUNTS =
  'redis.incr(resource).then(async (n) => (n === 1 && (await redis.pexpire(resource, leaseMs)), n))';

const tallyOf = (strategy: Strategy, cell: string): Promise<Tally> =>
  explore(world(), planOf(strategy, cellOf(cell)), { max: 40 });

const sentencesOf = ({ witnesses }: Tally): string[] =>
  [...witnesses.values()].flatMap(({ violations }) => violations.map(({ sentence }) => sentence));

test('a waiter whose attempts reset the expiry renews the lock of the holder, and does not take it', async () => {
  const tally = await tallyOf(countingLock('renews', RENEWS), 'the waiter gives up');
  expect([...tally.kinds.keys()]).toContain('foreign-renewal');
  expect([...tally.kinds.keys()]).not.toContain('overlap');
  expect(sentencesOf(tally).some((sentence) => /^[AB] renewed [AB]'s lock: /.test(sentence))).toBe(true);
});

test('a waiter whose attempts only count changes nothing of the lock of the holder', async () => {
  const tally = await tallyOf(countingLock('only-counts', ONLY_COUNTS), 'the waiter gives up');
  expect(tally.fired.get('kill')).toBeGreaterThan(0);
  for (const kind of ['overlap', 'foreign-release', 'foreign-renewal'] as const)
    expect([...tally.kinds.keys()]).not.toContain(kind);
});

test.each([RENEWS, ONLY_COUNTS])('without a fault the holder releases its own lock: %s', async (count) => {
  const tally = await tallyOf(countingLock('counts', count), 'two processes');
  expect([...tally.kinds.keys()]).toEqual([]);
});

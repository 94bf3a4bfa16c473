import { cellOf, explore, planOf, type Tally } from '#lab/explore';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

/** A lock whose attempts, and those to extend it right before the write, are counted: `acquires` and `extensions` times 200 ms. */
const lockOf = (acquires: string, extensions: string): string => `
const EXTEND = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0";
const RELEASE = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0";
const retried = async (times, attempt) => {
  for (let i = 0; i < times; i++) {
    if (await attempt().catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
};
exports.createLock = ({ redis }) => ({
  async acquire(resource, { leaseMs }) {
    const lock = { resource, leaseMs, me: require('node:crypto').randomUUID() };
    const take = () => redis.set(resource, lock.me, 'PX', leaseMs, 'NX');
    return (await retried(${acquires}, take)) ? lock : undefined;
  },
  isHeld: ({ resource, leaseMs, me }) => retried(${extensions}, () => redis.eval(EXTEND, 1, resource, me, leaseMs)),
  release: ({ resource, me }) => redis.eval(RELEASE, 1, resource, me),
});`;

const tallyOf = (file: string, text: string, cell: string): Promise<Tally> =>
  explore(world(), planOf(ofFile(file, text), cellOf(cell)), { max: 12 });

test('a loop that counts its retries ends, although its polls are skipped while no lock changes', async () => {
  const { kinds, fired } = await tallyOf('counts.js', lockOf('150', '150'), 'overrun');
  expect(fired.get('overrun')).toBeGreaterThan(0);
  expect([...kinds.keys()]).not.toContain('dead-lock');
});

test('a loop that never ends waits forever', async () => {
  const { kinds } = await tallyOf('never-ends.js', lockOf('150', 'Infinity'), 'overrun');
  expect([...kinds.keys()]).toContain('dead-lock');
});

test('a lock that is acquired again after the lost reply to an acquire was not held in between', async () => {
  const { kinds, fired } = await tallyOf('again.js', lockOf('150', '1'), 'lose-reply');
  expect(fired.get('lose-reply')).toBeGreaterThan(0);
  expect([...kinds.keys()]).toEqual([]);
});

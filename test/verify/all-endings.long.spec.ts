import { cellOf, planOf } from '#lab/explore';
import { endingsOf } from '#load-tests/selftest';
import type { Strategy } from '#lab/strategy';
import { EXPLORATION_MS } from '../harness/limits';
import { openOwnFiles } from './own-files';

const { world, ofFile } = openOwnFiles(__filename);

/** One try; the clock of the process decides whether the lock is held. */
const BY_THE_CLOCK = `
  exports.createLock = ({ redis }) => ({
    async acquire(resource, { leaseMs }) {
      const until = Date.now() + leaseMs;
      return (await redis.set(resource, 'x', 'PX', leaseMs, 'NX')) === 'OK' ? { resource, until } : undefined;
    },
    isHeld: async ({ until }) => Date.now() < until,
    release: ({ resource }) => redis.del(resource),
  });`;

/** A strategy asks the clock of its tools after a statement that no other actor can notice. */
const BY_THE_CLOCK_OF_ITS_TOOLS = `
  exports.strategy = {
    async apply(change, { redis, sql, clock, balances, options: { leaseMs } }) {
      const key = 'lock:' + change.balance;
      const until = clock.now() + leaseMs;
      if ((await redis.set(key, 'x', 'PX', leaseMs, 'NX')) !== 'OK')
        throw Object.assign(new Error('taken'), { code: 'LOCK.NOT_OBTAINED' });
      try {
        const session = sql.createQueryRunner();
        await session.startTransaction();
        const isLost = clock.now() >= until;
        await session.rollbackTransaction();
        await session.release();
        if (isLost) throw Object.assign(new Error('lost'), { code: 'LOCK.LOST' });
        const before = await balances.read(change.balance);
        if (before < 1) throw Object.assign(new Error('sold out'), { code: 'BALANCE.SOLD_OUT' });
        return await balances.write(change, before, before + change.delta);
      } finally {
        await redis.del(key);
      }
    },
  };`;

/** Whether two holders overlap depends on the order of independent steps: it may be shown in another one of equal endings. */
const withoutOverlap = (ending: string): string => ending.replace(/,?"overlap"/, '');

async function endings(strategy: Strategy, cell: string, reduce: boolean): Promise<readonly string[]> {
  const all = await endingsOf(world(), { ...planOf(strategy, cellOf(cell)), reduce });
  return [...new Set(Array.from(all?.found.keys() ?? [], withoutOverlap))].sort();
}

test.each([
  ...['pause', 'lapse', 'slow work'].map((cell) => ({
    title: `a lock that reads the clock, ${cell}`,
    cell,
    file: 'by-the-clock.js',
    code: BY_THE_CLOCK,
  })),
  {
    title: 'a strategy that reads the clock of its tools, lapse',
    cell: 'lapse',
    file: 'by-its-tools.js',
    code: BY_THE_CLOCK_OF_ITS_TOOLS,
  },
])(
  '$title: a search shows each ending that all orders of steps show',
  async ({ cell, file, code }) => {
    const strategy = ofFile(file, code);
    const all = await endings(strategy, cell, false);
    expect(all.length).toBeGreaterThan(1);
    expect(await endings(strategy, cell, true)).toEqual(all);
  },
  EXPLORATION_MS,
);

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

/** Whether two holders overlap depends on the order of independent steps: it may be shown in another one of equal endings. */
const withoutOverlap = (ending: string): string => ending.replace(/,?"overlap"/, '');

async function endings(strategy: Strategy, cell: string, reduce: boolean): Promise<readonly string[]> {
  const all = await endingsOf(world(), { ...planOf(strategy, cellOf(cell)), reduce });
  return [...new Set(Array.from(all?.found.keys() ?? [], withoutOverlap))].sort();
}

test.each(['pause', 'lapse', 'slow work'])(
  'a lock that reads the clock, %s: a search shows each ending that all orders of steps show',
  async (cell) => {
    const strategy = ofFile('by-the-clock.js', BY_THE_CLOCK);
    expect(await endings(strategy, cell, true)).toEqual(await endings(strategy, cell, false));
  },
  EXPLORATION_MS,
);

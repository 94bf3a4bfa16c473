import type { Strategy } from '../contract';
import { LockNotObtained } from '../shared/errors';
import { Lease } from '../shared/lease';
import { readModifyWrite } from '../shared/read-modify-write';
import { acquireFair, releaseFair, run } from '../shared/scripts';
import { lockKey, release } from '../shared/with-lock';

const lineKey = (balance: string): string => `line:{${balance}}:fair`;
const aliveKey = (balance: string): string => `alive:{${balance}}:fair`;

/** So often a waiter looks again within its lease: thereby it shows that it is alive. */
const LOOKS_PER_LEASE = 3;

export const fair: Strategy = {
  name: 'fair',
  mechanism:
    'Who finds the lock taken stands in a line in Redis; the release gives the lock to the next one, and wakes that one only.',
  defect:
    'Served in the order of their coming, each with two commands. A waiter that is dead, or stands still for a lease, loses its place. Work that outlives the lease is not sold: a local deadline tells; a pause after the look at it still has two writers.',
  source: 'Redisson, RFairLock; Mellor-Crummey and Scott, "Algorithms for scalable synchronization", 1991.',
  next: 'fenced lets the database refuse the stale write.',
  options: ['leaseMs', 'waitMs', 'workMs'],
  keys: (balance) => [lineKey(balance), aliveKey(balance)],
  lacks: ['survivesLapse'],
  expected: {
    'paused-before-write': { must: ['overlap', 'lost-update'], may: ['oversold'] },
  },

  async apply(change, tools) {
    const { redis, clock, process } = tools;
    const { leaseMs, waitMs } = tools.options;
    const key = lockKey(change.balance, 'fair');
    const keys = [key, lineKey(change.balance), aliveKey(change.balance)] as const;
    const turn = await process.turns.create();
    const look = async (): Promise<boolean> =>
      (await run(redis, acquireFair, keys, turn.token, leaseMs, clock.serverTime())) === 1;
    const leave = (): Promise<unknown> => run(redis, releaseFair, keys, turn.token, clock.serverTime());

    const lease = new Lease(key, leaseMs, clock);
    const begun = clock.now();
    let notYetOurs = begun; // whoever gives us the lock gives it later, and its lease runs from then
    try {
      for (let looks = 1; !turn.isGranted; looks++) {
        const asked = clock.now();
        if (await look()) break;
        notYetOurs = asked;
        const waited = clock.now() - begun;
        if (waited >= waitMs) throw new LockNotObtained(key, looks, waited);
        await clock.waitFor(turn.event, Math.min(leaseMs / LOOKS_PER_LEASE, waitMs - waited), key);
        turn.event.consume();
      }
      lease.runsFrom(notYetOurs);
      return await readModifyWrite(change, tools, lease.lost);
    } finally {
      lease.end();
      turn.cancel();
      await release({ key, tryAcquire: look, release: leave }, tools); // whoever gave up leaves the line
    }
  },
};

import { pollUntil } from '#lab/stack';
import { append } from './append-only-file';
import { OVERSOLD, type Drill } from '../drill';
import { after, before } from '../messages';
import { killAndRestart, ownerAt } from './one-redis';
import type { DrillEnvironment } from '../drill-environment';
import { everywhere, exactMajority, otherMajority, same, startVoters } from './voters';

/** The voter restarts at once and has lost its vote. */
async function empty(env: DrillEnvironment): Promise<void> {
  const voters = await startVoters(env.park, {});
  const majority = await exactMajority(env, voters);
  await killAndRestart(env, voters.third);
  await otherMajority(env, voters, majority);
}

/** The voter restarts at once and still has its vote. */
async function withItsFile(env: DrillEnvironment): Promise<void> {
  const voters = await startVoters(env.park, { args: append('always') });
  const { A, token } = await exactMajority(env, voters);
  await killAndRestart(env, voters.third);
  env.fact(
    'all three voters still have their vote',
    same(await voters.owners(env), [token, token, token, null, null]),
  );
  const B = await env.buyer('B', { servers: everywhere(voters) });
  await B.finish();
  env.fact('B gets no majority', B.outcome === 'LOCK.NOT_OBTAINED');
  await A.finish();
}

/** Longer than the lease of `voter-restart/delayed`. */
const LEASE_END_MS = 30_000;

/** The voter stays down until the lease of its vote has ended, as the Redis documentation requires. */
async function afterTheLease(env: DrillEnvironment): Promise<void> {
  const voters = await startVoters(env.park, {});
  const B = await env.buyer('B', { servers: everywhere(voters) });
  const { A, token } = await exactMajority(env, voters);
  const areOwnedBy = async (owner: string | null): Promise<boolean> =>
    same(await Promise.all(voters.all.slice(0, 2).map((voter) => ownerAt(voter, env.lockKey))), [
      owner,
      owner,
    ]);
  await killAndRestart(env, voters.third, async () => {
    await B.finish();
    env.fact('B gets two votes of four, and no majority', B.outcome === 'LOCK.NOT_OBTAINED');
    await A.runUntil(after('COMMIT'));
    env.fact('A sold within its lease', await areOwnedBy(token));
    const hasEnded = await pollUntil(() => areOwnedBy(null), { timeoutMs: LEASE_END_MS, everyMs: 20 });
    env.fact("A's lease has ended", hasEnded);
  });
  const C = await env.buyer('C', { servers: everywhere(voters) });
  await C.runUntil(before('SELECT'));
  const owners = new Set(await voters.owners(env));
  env.fact(
    'C, which started after that, holds the lock by five votes',
    owners.size === 1 && !owners.has(null),
  );
  await C.finish();
  await A.finish();
}

export const VOTER_RESTART: readonly Drill[] = [
  {
    name: 'voter-restart/empty',
    shows: 'redlock: a voter loses its vote, and a second majority is possible: two holders',
    certainBy: 'A has exactly three votes of five, because its network to the other two is cut',
    strategy: 'redlock',
    options: { leaseMs: 30_000, waitMs: 0 },
    expected: OVERSOLD,
    play: empty,
  },
  {
    name: 'voter-restart/delayed',
    shows: 'redlock: the voter stays down for a lease: no second majority is possible in that time',
    certainBy: 'A has exactly three votes of five, because its network to the other two is cut',
    strategy: 'redlock',
    options: { leaseMs: 5000, waitMs: 0 },
    play: afterTheLease,
  },
  {
    name: 'voter-restart/aof-always',
    shows: 'redlock: the voter has its vote on the disk',
    certainBy: 'A has exactly three votes of five, because its network to the other two is cut',
    strategy: 'redlock',
    options: { leaseMs: 30_000, waitMs: 0 },
    play: withItsFile,
  },
];

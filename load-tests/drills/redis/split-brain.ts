import { withRedis, type StartedRedis } from '#lab/stack';
import { OVERSOLD, type Drill } from '../drill';
import { before } from '../messages';
import type { DrillEnvironment } from '../drill-environment';
import {
  cutReplication,
  follow,
  inSync,
  leadTo,
  promote,
  roadsTo,
  startReplicaSet,
  type ReplicaSet,
  type Road,
} from './replica-set';
import { writeSome, writesLeft, writeUntilRefused } from './writes';

const WRITES = 1000;

/** A primary refuses writes when no replica has acknowledged for a second. */
const MIN_REPLICAS = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '1'];

/** Promotes a replica and redirects B to it, while the old primary keeps running. */
async function split(env: DrillEnvironment, set: ReplicaSet, toB: Road): Promise<void> {
  const [successor] = set.replicas;
  await promote(env, set, successor);
  leadTo(successor, toB);
  env.fact('there are two primaries', (await isPrimary(set.primary)) && (await isPrimary(successor)));
}

const isPrimary = ({ url }: StartedRedis): Promise<boolean> =>
  withRedis(url, async (redis) => ((await redis.role()) as [string])[0] === 'master');

/** The old primary loses A's lock and all other writes since the split when it becomes a replica of the new one. */
async function playUnprotected(env: DrillEnvironment): Promise<void> {
  const set = await startReplicaSet(env.park, 1);
  const [successor] = set.replicas;
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { redis: toA.url });
  await cutReplication(env, set);
  await split(env, set, toB);
  await A.runUntil(before('UPDATE'));
  env.fact('A holds the lock on the old primary', A.took('SET'));
  const B = await env.buyer('B', { redis: toB.url });
  await B.finish();
  env.fact('B held the same lock on the new primary', B.took('SET'));
  await writeSome(set.primary, WRITES);
  await follow(set.primary.url, successor.url);
  await inSync(successor, 1);
  env.note('primary', 'demoted: it is a replica of the new primary');
  leadTo(successor, toA);
  const left = await writesLeft(set.primary, WRITES);
  env.figure('writes that the old primary acknowledged', WRITES);
  env.figure('of them lost when it was demoted', WRITES - left);
  env.fact('every write of the old primary is lost', left === 0);
  const locks = await withRedis(set.primary.url, (redis) => redis.exists(env.lockKey));
  env.fact("A's lock is lost as well", locks === 0);
  await A.finish();
}

/** No replica acknowledges A's lock. */
async function playReplicated(env: DrillEnvironment): Promise<void> {
  const set = await startReplicaSet(env.park, 3);
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { servers: { primary: toA.url } });
  for (const { link } of set.replicas) link.swallow();
  await split(env, set, toB);
  await A.finish();
  env.fact('A had the lock on the old primary for a moment', A.took('SET'));
  const B = await env.buyer('B', { servers: { primary: toB.url } });
  await B.finish();
  env.fact('B held the same lock on the new primary', B.took('SET'));
}

/** Both primaries have the same counter value and continue from it. */
async function playFenced(env: DrillEnvironment): Promise<void> {
  const set = await startReplicaSet(env.park, 1);
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { redis: toA.url });
  await cutReplication(env, set);
  await split(env, set, toB);
  await A.runUntil(before('UPDATE balance SET amount'));
  const B = await env.buyer('B', { redis: toB.url });
  await B.finish();
  const [a, b] = [A, B].map((buyer) => buyer.answered('acquire-with-fence')?.reply);
  env.fact('A and B hold the lock with the same token', A.took('acquire-with-fence') && a === b);
  await A.finish();
}

/** The connections to the replicas are reset: the old primary notices at once and refuses writes. */
async function playRefused(env: DrillEnvironment): Promise<void> {
  const set = await startReplicaSet(env.park, 2, MIN_REPLICAS);
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { redis: toA.url });
  const begun = performance.now();
  for (const { link } of set.replicas) link.cut();
  await showWindow(env, set.primary, begun);
  await split(env, set, toB);
  await A.finish();
  env.fact('A was refused: NOREPLICAS', A.text.includes('NOREPLICAS'));
  const B = await env.buyer('B', { redis: toB.url });
  await B.finish();
  env.fact('B held the lock on the new primary', B.took('SET'));
}

/** Replication traffic is dropped silently: the old primary grants locks until it reaches min-replicas-max-lag. */
async function playWindow(env: DrillEnvironment): Promise<void> {
  const set = await startReplicaSet(env.park, 2, MIN_REPLICAS);
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { redis: toA.url });
  await inSync(set.primary, 2); // the lag is 0 now
  const begun = performance.now();
  for (const { link } of set.replicas) link.swallow();
  await A.runUntil(before('UPDATE'));
  env.fact('A holds the lock on the old primary, within the window', A.took('SET'));
  await showWindow(env, set.primary, begun);
  await split(env, set, toB);
  const B = await env.buyer('B', { redis: toB.url });
  await B.finish();
  env.fact('B held the same lock on the new primary', B.took('SET'));
  const C = await env.buyer('C', { redis: toA.url });
  await C.finish();
  env.fact('C, which started after the window, was refused: NOREPLICAS', C.text.includes('NOREPLICAS'));
  await A.finish();
}

/** Records how long the primary accepts writes without replicas. `begun`: time of their loss (performance.now). */
async function showWindow(env: DrillEnvironment, primary: StartedRedis, begun: number): Promise<void> {
  const { writes, refusal } = await writeUntilRefused(primary);
  env.figure('ms until the old primary refused writes', Math.round(performance.now() - begun));
  env.figure('writes that it accepted until then', writes);
  env.fact('the old primary refuses writes: NOREPLICAS', refusal.startsWith('NOREPLICAS'));
}

const common = { strategy: 'token-lua', options: { leaseMs: 30_000 } } as const;

/** Two primaries with clients on both. */
export const SPLIT_BRAIN: readonly Drill[] = [
  {
    ...common,
    name: 'split-brain/token-lua',
    shows: "both primaries grant the lock; the old one's writes are lost when it is demoted",
    certainBy: 'the replica is promoted while the old primary keeps running, disconnected from it',
    expected: OVERSOLD,
    play: playUnprotected,
  },
  {
    ...common,
    name: 'split-brain/min-replicas',
    shows:
      'min-replicas-to-write 1: the replicas are disconnected, as if killed, and the old primary refuses at once',
    certainBy: 'A starts after the first refusal',
    play: playRefused,
  },
  {
    ...common,
    name: 'split-brain/min-replicas-window',
    shows:
      'min-replicas-max-lag 1: the replicas are silent, as if paused: a lock taken before the lag is noticed has two holders',
    certainBy: 'A takes the lock right after the last acknowledgment',
    expected: OVERSOLD,
    play: playWindow,
  },
  {
    ...common,
    name: 'split-brain/replicated',
    strategy: 'replicated',
    shows: 'WAIT: no replica acknowledges to the old primary, and A is refused; B buys',
    certainBy: 'replication is dropped before A starts',
    play: playReplicated,
  },
  {
    ...common,
    name: 'split-brain/fenced',
    strategy: 'fenced',
    shows: 'both primaries assign the same token: the row accepts only one of the two writes',
    certainBy: 'the replica is promoted while the old primary keeps running, disconnected from it',
    play: playFenced,
  },
];

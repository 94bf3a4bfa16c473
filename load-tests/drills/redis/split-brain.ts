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

const SOME = 1000;

/** Every server of the set refuses to write when it has heard of no replica for a second. */
const MIN_REPLICAS = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '1'];

/** The other side of the network has a primary of its own; `toB` leads there, the old primary lives on. */
async function split(env: DrillEnvironment, set: ReplicaSet, toB: Road): Promise<void> {
  const [heir] = set.replicas;
  await promote(env, set, heir);
  leadTo(heir, toB);
  env.fact('there are two primaries', (await isPrimary(set.primary)) && (await isPrimary(heir)));
}

const isPrimary = ({ url }: StartedRedis): Promise<boolean> =>
  withRedis(url, async (redis) => ((await redis.role()) as [string])[0] === 'master');

/** A's lock and everything else that the old primary was told is gone when it follows the new one. */
async function playUnprotected(env: DrillEnvironment): Promise<void> {
  const set = await startReplicaSet(env.park, 1);
  const [heir] = set.replicas;
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { redis: toA.url });
  await cutReplication(env, set);
  await split(env, set, toB);
  await A.runUntil(before('UPDATE'));
  env.fact('A holds the lock on the old primary', A.took('SET'));
  const B = await env.buyer('B', { redis: toB.url });
  await B.finish();
  env.fact('B has held the same lock on the new one', B.took('SET'));
  await writeSome(set.primary, SOME);
  await follow(set.primary.url, heir.url);
  await inSync(heir, 1);
  env.note('primary', 'demoted: it follows the new one');
  leadTo(heir, toA);
  const left = await writesLeft(set.primary, SOME);
  env.figure('writes that the old primary acknowledged', SOME);
  env.figure('of them lost when it was demoted', SOME - left);
  env.fact('every write of the old primary is lost', left === 0);
  const locks = await withRedis(set.primary.url, (redis) => redis.exists(env.lockKey));
  env.fact("A's lock is lost with them", locks === 0);
  await A.finish();
}

/** No replica acknowledges on A's side. */
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
  env.fact('B has held the same lock on the new one', B.took('SET'));
}

/** Both primaries have the same counter, and go on from there. */
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

/** The connections to the replicas end: the old primary knows at once, and refuses. */
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
  env.fact('B has held the lock on the new primary', B.took('SET'));
}

/** Nothing arrives any more, and nobody is told: the old primary takes locks until the lag is too long. */
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
  env.fact('B has held the same lock on the new one', B.took('SET'));
  const C = await env.buyer('C', { redis: toA.url });
  await C.finish();
  env.fact('C, who came after the window, was refused: NOREPLICAS', C.text.includes('NOREPLICAS'));
  await A.finish();
}

/** How long the primary goes on writing without a replica; `begun` is when it has lost them (performance.now). */
async function showWindow(env: DrillEnvironment, primary: StartedRedis, begun: number): Promise<void> {
  const { writes, refusal } = await writeUntilRefused(primary);
  env.figure('the old primary refuses after ms', Math.round(performance.now() - begun));
  env.figure('writes that it has taken until then', writes);
  env.fact('the old primary refuses to write: NOREPLICAS', refusal.startsWith('NOREPLICAS'));
}

const common = { strategy: 'token-lua', options: { leaseMs: 30_000 } } as const;

/** Two primaries, clients on both. */
export const SPLIT_BRAIN: readonly Drill[] = [
  {
    ...common,
    name: 'split-brain/token-lua',
    shows: 'each primary gives the lock away; what the old one was told is lost when it is demoted',
    certainBy: 'the replica is promoted while the old primary lives on, cut from it',
    expected: OVERSOLD,
    play: playUnprotected,
  },
  {
    ...common,
    name: 'split-brain/min-replicas',
    shows:
      'min-replicas-to-write 1: the replicas are gone, as when killed, and the old primary refuses at once',
    certainBy: 'A comes after the first refusal',
    play: playRefused,
  },
  {
    ...common,
    name: 'split-brain/min-replicas-window',
    shows:
      'min-replicas-max-lag 1: the replicas are silent, as when stopped: a lock taken before that is noticed has two holders',
    certainBy: 'A takes the lock right after the last acknowledgement',
    expected: OVERSOLD,
    play: playWindow,
  },
  {
    ...common,
    name: 'split-brain/replicated',
    strategy: 'replicated',
    shows: 'WAIT: nobody acknowledges on the side of the old primary, and A is refused; B buys',
    certainBy: 'the replicas are silent before A comes',
    play: playReplicated,
  },
  {
    ...common,
    name: 'split-brain/fenced',
    strategy: 'fenced',
    shows: 'both primaries give out the same token: the row lets one of the two write',
    certainBy: 'the replica is promoted while the old primary lives on, cut from it',
    play: playFenced,
  },
];

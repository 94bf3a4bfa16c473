import { OVERSOLD, type Drill } from '../drill';
import { before } from '../messages';
import type { DrillEnvironment } from '../drill-environment';
import {
  cutReplication,
  failOver,
  follow,
  inSync,
  leadTo,
  roadsTo,
  startReplicaSet,
  type ReplicaSet,
  type Road,
} from './replica-set';

const TAKES = 'SET';

/** The reply to WAIT: the number of replicas that have the lock. */
const acknowledged = ({ steps }: { steps: readonly { verb: string; reply?: unknown }[] }): unknown =>
  steps.find(({ verb }) => verb === 'WAIT')?.reply;

async function open(
  env: DrillEnvironment,
  replicas: number,
): Promise<{ set: ReplicaSet; toA: Road; toB: Road }> {
  const set = await startReplicaSet(env.park, replicas);
  const [toA, toB] = await roadsTo(env.park, set.primary);
  return { set, toA, toB };
}

/** No replica acknowledges A's lock, so A releases it. No buyer sells until the new primary has two replicas. */
async function playRefused(env: DrillEnvironment): Promise<void> {
  const { set, toA, toB } = await open(env, 2);
  const [successor] = set.replicas;
  const A = await env.buyer('A', { servers: { primary: toA.url } });
  await cutReplication(env, set);
  await A.finish();
  env.fact(
    'A had the lock on the primary, and 0 of 2 replicas acknowledged it',
    A.took(TAKES) && acknowledged(A) === 0,
  );
  await failOver(env, set, successor);
  leadTo(successor, toB);
  const B = await env.buyer('B', { servers: { primary: toB.url } });
  await B.finish();
  env.fact('with one replica left, 1 of 2 acknowledged to B', B.took(TAKES) && acknowledged(B) === 1);
  const fresh = await env.park.redis('replica-3');
  await follow(fresh.url, successor.url);
  await inSync(successor, 2);
  env.note('replica-3', 'started as a replica of the new primary');
  const C = await env.buyer('C', { servers: { primary: toB.url } });
  await C.finish();
  env.fact('2 of 2 acknowledged to C', acknowledged(C) === 2);
}

/** Both replicas have the lock, so either one refuses B after its promotion. */
async function playKept(env: DrillEnvironment): Promise<void> {
  const { set, toA, toB } = await open(env, 2);
  const [successor] = set.replicas;
  const A = await env.buyer('A', { servers: { primary: toA.url } });
  await A.runUntil(before('UPDATE'));
  env.fact('A holds the lock, and 2 of 2 replicas have it', acknowledged(A) === 2);
  await failOver(env, set, successor);
  leadTo(successor, toA, toB);
  const B = await env.buyer('B', { servers: { primary: toB.url }, options: { waitMs: 0 } });
  await B.finish();
  env.fact('the new primary refused the lock to B', B.answered(TAKES)?.reply === null);
  await A.finish();
}

/** Two of three acknowledge, and the third is promoted. */
async function playThird(env: DrillEnvironment): Promise<void> {
  const { set, toA, toB } = await open(env, 3);
  const [, , third] = set.replicas;
  if (third === undefined) throw new Error('There is no third replica');
  const A = await env.buyer('A', { servers: { primary: toA.url } });
  await cutReplication(env, set, [third]);
  await A.runUntil(before('UPDATE'));
  env.fact('A holds the lock, and 2 of 3 replicas have it', acknowledged(A) === 2);
  await failOver(env, set, third);
  leadTo(third, toA, toB);
  const B = await env.buyer('B', { servers: { primary: toB.url } });
  await B.finish();
  env.fact('B holds the same lock, and 2 of 2 replicas have it', B.took(TAKES) && acknowledged(B) === 2);
  await A.finish();
}

const common = { strategy: 'replicated', options: { leaseMs: 30_000 } } as const;

/** Asynchronous failover, and a lock that WAITs for replicas. */
export const FAILOVER_REPLICATED: readonly Drill[] = [
  {
    ...common,
    name: 'failover/replicated',
    shows: 'no replica has the lock: A and B are refused; C buys once the new primary has two replicas',
    certainBy: 'replication is cut before the lock is taken',
    play: playRefused,
  },
  {
    ...common,
    name: 'failover/replicated-kept',
    shows: 'all replicas had the lock when the primary died: B is refused, A buys',
    certainBy: 'A holds the lock after WAIT was answered with 2',
    play: playKept,
  },
  {
    ...common,
    name: 'failover/replicated-2-of-3',
    shows: 'two replicas had the lock, the third was promoted: two holders',
    certainBy: 'replication to the third is cut before the lock is taken',
    expected: OVERSOLD,
    play: playThird,
  },
];

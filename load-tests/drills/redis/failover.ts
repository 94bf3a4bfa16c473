import type { Expectation, Options } from '#lab/strategy';
import type { Buyer } from '../buyer';
import { OVERSOLD, type Drill } from '../drill';
import { before, type Breakpoint } from '../messages';
import type { DrillEnvironment } from '../drill-environment';
import { cutReplication, failOver, leadTo, roadsTo, startReplicaSet } from './replica-set';

/** A lock strategy on one Redis, and where its holder is when the primary is killed. */
interface Variant {
  readonly strategy: string;
  /** The command or script that takes the lock. */
  readonly takes: string;
  readonly shows: string;
  readonly expected?: Expectation;
  readonly name?: string;
  /** Where A is held; default: before its write, after its last check of the lock. */
  readonly heldAt?: Breakpoint;
  readonly certainBy?: string;
  readonly options?: Partial<Options>;
  /** Runs between the failover and the start of B. */
  readonly beforeB?: (env: DrillEnvironment, A: Buyer) => Promise<void>;
}

const VARIANTS: readonly Variant[] = [
  {
    strategy: 'setnx',
    takes: 'SETNX',
    shows: 'only the dead primary had the lock: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'token-lua',
    takes: 'SET',
    shows: 'an owner token does not restore the lock: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'reentrant',
    takes: 'acquire-reentrant',
    shows: 'the hash with the count is lost as well: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'fair',
    takes: 'acquire-fair',
    shows: 'the lock and the queue of waiters are lost: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'watchdog',
    takes: 'SET',
    shows: 'the holder was past its last check of the lease: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'rollback-on-loss',
    takes: 'SET',
    shows: 'A checks the lock once more before its COMMIT, and rolls its write back',
  },
  {
    name: 'watchdog-in-time',
    strategy: 'watchdog',
    takes: 'SET',
    shows: 'the holder is still at work: its next renewal is refused, and it sells nothing',
    certainBy:
      'replication is cut before the lock is taken; A is held in its work until its renewal is refused',
    options: { leaseMs: 3000, workMs: 1 },
    heldAt: before('WORK'),
    beforeB: renewalRefused,
  },
];

async function renewalRefused(env: DrillEnvironment, A: Buyer): Promise<void> {
  const begun = performance.now();
  const renewal = await A.step(({ script, reply }) => script === 'renew-if-owner' && reply === 0);
  env.figure("ms until A's renewal was refused", Math.round(performance.now() - begun));
  env.fact("the new primary refused A's renewal", renewal.reply === 0);
}

/** A takes the lock and is held; the failover loses the lock; B buys; A continues. */
async function play(
  env: DrillEnvironment,
  { takes, heldAt = before('UPDATE'), beforeB }: Variant,
): Promise<void> {
  const set = await startReplicaSet(env.park, 1);
  const [successor] = set.replicas;
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { redis: toA.url });
  await cutReplication(env, set);
  await A.runUntil(heldAt);
  env.fact('A holds the lock', A.took(takes));
  await failOver(env, set, successor);
  leadTo(successor, toA, toB);
  await beforeB?.(env, A);
  const B = await env.buyer('B', { redis: toB.url });
  await B.finish();
  env.fact('B held the same lock', B.took(takes));
  await A.finish();
}

/** Asynchronous failover: all locks that only the killed Redis had are lost. */
export const FAILOVER: readonly Drill[] = VARIANTS.map((variant) => ({
  name: `failover/${variant.name ?? variant.strategy}`,
  shows: variant.shows,
  certainBy: variant.certainBy ?? 'replication is cut before the lock is taken',
  strategy: variant.strategy,
  options: variant.options ?? { leaseMs: 30_000 },
  ...(variant.expected !== undefined && { expected: variant.expected }),
  play: (env) => play(env, variant),
}));

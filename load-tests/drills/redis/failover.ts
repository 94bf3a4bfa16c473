import type { Expectation, Options } from '#lab/strategy';
import type { Buyer } from '../buyer';
import { OVERSOLD, type Drill } from '../drill';
import { before, type Breakpoint } from '../messages';
import type { DrillEnvironment } from '../drill-environment';
import { cutReplication, failOver, leadTo, roadsTo, startReplicaSet } from './replica-set';

/** One way of locking in one Redis, and where its holder stands when the primary dies. */
interface Variant {
  readonly strategy: string;
  /** The command or script that takes the lock. */
  readonly takes: string;
  readonly shows: string;
  readonly expected?: Expectation;
  readonly name?: string;
  /** Default: before its write, after its last look at the lock. */
  readonly stands?: Breakpoint;
  readonly certainBy?: string;
  readonly options?: Partial<Options>;
  /** What comes between the failover and B. */
  readonly meanwhile?: (env: DrillEnvironment, A: Buyer) => Promise<void>;
}

const VARIANTS: readonly Variant[] = [
  {
    strategy: 'setnx',
    takes: 'SETNX',
    shows: 'the lock was on the dead primary only: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'token-lua',
    takes: 'SET',
    shows: 'a token of its own does not bring the lock back: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'reentrant',
    takes: 'acquire-reentrant',
    shows: 'the hash with the count is gone, too: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'fair',
    takes: 'acquire-fair',
    shows: 'the lock and the line of waiters are gone: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'watchdog',
    takes: 'SET',
    shows: 'the holder had passed its last look at the lease: two holders',
    expected: OVERSOLD,
  },
  {
    strategy: 'rollback-on-loss',
    takes: 'SET',
    shows: 'A looks at the lock once more before its COMMIT, and takes its write back',
  },
  {
    name: 'watchdog-in-time',
    strategy: 'watchdog',
    takes: 'SET',
    shows: 'the holder is still at work: the next renewal tells it, and it sells nothing',
    certainBy:
      'replication is cut before the lock is taken; A stands in its work until its renewal is refused',
    options: { leaseMs: 3000, workMs: 1 },
    stands: before('WORK'),
    meanwhile: renewalRefused,
  },
];

async function renewalRefused(env: DrillEnvironment, A: Buyer): Promise<void> {
  const begun = performance.now();
  const told = await A.step(({ script, reply }) => script === 'renew-if-owner' && reply === 0);
  env.figure('A is told of its loss after ms', Math.round(performance.now() - begun));
  env.fact("the new primary has refused A's renewal", told.reply === 0);
}

/** A takes the lock and stands; the failover loses the lock; B comes, buys; A goes on. */
async function play(
  env: DrillEnvironment,
  { takes, stands = before('UPDATE'), meanwhile }: Variant,
): Promise<void> {
  const set = await startReplicaSet(env.park, 1);
  const [heir] = set.replicas;
  const [toA, toB] = await roadsTo(env.park, set.primary);
  const A = await env.buyer('A', { redis: toA.url });
  await cutReplication(env, set);
  await A.runUntil(stands);
  env.fact('A holds the lock', A.took(takes));
  await failOver(env, set, heir);
  leadTo(heir, toA, toB);
  await meanwhile?.(env, A);
  const B = await env.buyer('B', { redis: toB.url });
  await B.finish();
  env.fact('B has held the same lock, too', B.took(takes));
  await A.finish();
}

/** Asynchronous failover: every lock that one Redis keeps is lost with it. */
export const FAILOVER: readonly Drill[] = VARIANTS.map((variant) => ({
  name: `failover/${variant.name ?? variant.strategy}`,
  shows: variant.shows,
  certainBy: variant.certainBy ?? 'replication is cut before the lock is taken',
  strategy: variant.strategy,
  options: variant.options ?? { leaseMs: 30_000 },
  ...(variant.expected !== undefined && { expected: variant.expected }),
  play: (env) => play(env, variant),
}));

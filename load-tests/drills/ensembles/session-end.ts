import type { OnDemand } from '#lab/stack';
import { OVERSOLD, type Drill } from '../drill';
import { inTime } from './in-time';
import { startEtcd, startRedis, startZookeeper, type LockServers } from './lock-servers';
import { before, type Breakpoint } from '../messages';
import type { DrillEnvironment } from '../drill-environment';

/** Milliseconds: the shortest session or lease that all three servers grant. */
const SHORT_MS = 1000;
/** Milliseconds. B is never paused: its session or lease must outlast its purchase on any machine. */
const LONG_MS = 30_000;

/** A is paused while it holds the lock, until its session or lease has ended. B buys, then A resumes. */
const play =
  ({ servers, strategy, fenced, pausedAt = BEFORE_WRITE }: Variant) =>
  async (env: DrillEnvironment): Promise<void> => {
    const { place, queue } = await servers(env);
    const config = { ...place(), ...(fenced !== undefined && { fenced }) };
    const A = await env.buyer('A', config);
    await A.runUntil(pausedAt);
    const [held] = await queue(strategy);
    env.fact('A has the lock, according to the server', held !== undefined && (held.buyer ?? 'A') === 'A');
    env.fact('A is paused, according to the kernel', await A.pause());
    const isFree = async (): Promise<boolean> => (await queue(strategy)).length === 0;
    const ms = await inTime(
      env,
      'its session or lease has ended, and the lock is free, according to the server',
      isFree,
    );
    env.figure('ms until the lock was free', ms);

    const B = await env.buyer('B', {
      ...config,
      options: { ...config.options, leaseMs: LONG_MS },
      ...(config.sessionMs !== undefined && { sessionMs: LONG_MS }),
    });
    await B.runUntil(before('SELECT'));
    const [next] = await queue(strategy);
    env.fact(
      'B has the lock now, according to the server',
      next !== undefined && (next.buyer ?? 'B') === 'B',
    );
    if (held?.fence !== undefined) {
      env.figure('fence of A', held.fence);
      env.figure('fence of B', next?.fence ?? 'none');
    }
    await B.finish();
    A.resume();
    await A.finish();
  };

/** After the holder's last check of its session. */
const BEFORE_WRITE = before('UPDATE balance SET amount');

interface Variant {
  readonly variant: string;
  readonly shows: string;
  readonly strategy: string;
  readonly servers: (env: DrillEnvironment) => Promise<LockServers>;
  readonly needs?: readonly OnDemand[];
  readonly fenced?: true;
  readonly pausedAt?: Breakpoint;
  readonly isSafe?: true;
}

const zookeeper = (members: number) => ({
  servers: (env: DrillEnvironment) => startZookeeper(env, members, SHORT_MS),
  needs: ['zookeeper'] as const,
});
const etcd = (members: number) => ({
  servers: (env: DrillEnvironment) => startEtcd(env, members, SHORT_MS),
  needs: ['etcd'] as const,
});
const redis = { servers: (env: DrillEnvironment) => startRedis(env, SHORT_MS) };

const TWO_HOLDERS = 'B gets the lock, and A still writes';
const NOTICED =
  'A is paused in its work, before its last check of the session: it notices the loss and sells nothing';

const VARIANTS: readonly Variant[] = [
  { variant: 'token-lua', strategy: 'token-lua', shows: TWO_HOLDERS, ...redis },
  {
    variant: 'watchdog',
    strategy: 'watchdog',
    shows: `the watchdog is paused as well: ${TWO_HOLDERS}`,
    ...redis,
  },
  { variant: 'fenced', strategy: 'fenced', shows: 'the row refuses A', isSafe: true, ...redis },
  { variant: 'zookeeper', strategy: 'zookeeper', shows: TWO_HOLDERS, ...zookeeper(1) },
  { variant: 'zookeeper-herd', strategy: 'zookeeper-herd', shows: TWO_HOLDERS, ...zookeeper(1) },
  {
    variant: 'zookeeper-ensemble',
    strategy: 'zookeeper',
    shows: `three servers make no difference: ${TWO_HOLDERS}`,
    ...zookeeper(3),
  },
  {
    variant: 'zookeeper-czxid',
    strategy: 'zookeeper',
    shows: 'the same lock with its czxid as fence: the row refuses A',
    fenced: true,
    isSafe: true,
    ...zookeeper(3),
  },
  {
    variant: 'zookeeper-in-work',
    strategy: 'zookeeper',
    shows: NOTICED,
    pausedAt: before('WORK'),
    isSafe: true,
    ...zookeeper(1),
  },
  { variant: 'etcd', strategy: 'etcd', shows: TWO_HOLDERS, ...etcd(1) },
  {
    variant: 'etcd-ensemble',
    strategy: 'etcd',
    shows: `three servers make no difference: ${TWO_HOLDERS}`,
    ...etcd(3),
  },
  {
    variant: 'etcd-revision',
    strategy: 'etcd',
    shows: 'the same lock with its revision as fence: the row refuses A',
    fenced: true,
    isSafe: true,
    ...etcd(3),
  },
  {
    variant: 'etcd-in-work',
    strategy: 'etcd',
    shows: NOTICED,
    pausedAt: before('WORK'),
    isSafe: true,
    ...etcd(1),
  },
];

export const SESSION_END: readonly Drill[] = VARIANTS.map((variant) => ({
  name: `session-end/${variant.variant}`,
  shows: variant.shows,
  certainBy: "A's process is paused until the server reports that its session or lease has ended",
  strategy: variant.strategy,
  options: { workMs: 1, waitMs: 10_000 },
  ...(variant.needs !== undefined && { needs: variant.needs }),
  ...(variant.isSafe === undefined && { expected: OVERSOLD }),
  play: play(variant),
}));

import { withRedis } from '#lab/stack';
import type { Expectation } from '#lab/strategy';
import { OVERSOLD, type Drill } from '../drill';
import { before } from '../messages';
import type { BuyerServers, DrillEnvironment } from '../drill-environment';
import { follow, inSync, leadTo, roadsTo, startReplicaSet, stopReplication } from './replica-set';
import { elected, startSentinels } from './sentinels';

interface Variant {
  readonly strategy: string;
  readonly shows: string;
  readonly takes: string;
  readonly replicas: number;
  readonly expected?: Expectation;
  /** A buyer's servers for this primary; default: it is the buyer's only Redis. */
  readonly place?: (url: string) => BuyerServers;
  /** A ends before the primary is killed; default: A is held before its write. */
  readonly refusesA?: true;
}

const VARIANTS: readonly Variant[] = [
  {
    strategy: 'token-lua',
    shows: 'the Sentinels elect a replica that lacks the lock: two holders',
    takes: 'SET',
    replicas: 1,
    expected: OVERSOLD,
  },
  {
    strategy: 'fenced',
    shows: 'the token repeats after the election: the row accepts only one of the two writes',
    takes: 'acquire-with-fence',
    replicas: 1,
  },
  {
    strategy: 'replicated',
    shows: 'WAIT: no replica has the lock, and A is refused before the election; B buys',
    takes: 'SET',
    replicas: 3,
    place: (primary) => ({ servers: { primary } }),
    refusesA: true,
  },
];

/** Like the scripted failover, but the Sentinels decide which replica is promoted, and when. */
async function play(env: DrillEnvironment, variant: Variant): Promise<void> {
  const { takes, replicas: count, place = (redis): BuyerServers => ({ redis }), refusesA } = variant;
  const { primary, replicas } = await startReplicaSet(env.park, count);
  // Sentinels reconfigure replicas with the primary's own address, which differs from that of a fault proxy
  for (const { url } of replicas) await follow(url, primary.url);
  await inSync(primary, count);
  const sentinels = await startSentinels(env, primary, count);
  const [toA, toB] = await roadsTo(env.park, primary);
  const A = await env.buyer('A', place(toA.url));
  await stopReplication(env, primary, replicas);
  if (refusesA) await A.finish();
  else await A.runUntil(before('UPDATE balance SET amount'));
  env.fact('A had the lock', A.took(takes));
  await primary.server.kill();
  env.note('primary', 'killed');
  for (const { server } of replicas) server.resume();
  const successor = await elected(env, sentinels, primary, replicas);
  const role = await withRedis(successor.url, (redis) => redis.role());
  env.fact(`${successor.server.name} is a primary`, (role as [string])[0] === 'master');
  await inSync(successor, count - 1);
  leadTo(successor, toA, toB);
  const B = await env.buyer('B', place(toB.url));
  await B.finish();
  env.fact('B held the same lock', B.took(takes));
  await A.finish();
}

/** A real failover: three Sentinels detect that the primary is down and elect another one. */
export const SENTINEL: readonly Drill[] = VARIANTS.map((variant) => ({
  name: `sentinel/${variant.strategy}`,
  shows: variant.shows,
  certainBy: 'replication is cut before the lock is taken',
  strategy: variant.strategy,
  options: { leaseMs: 60_000 },
  ...(variant.expected !== undefined && { expected: variant.expected }),
  play: (env) => play(env, variant),
}));

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
  /** Where the locks are; default: in the Redis that everybody has. */
  readonly place?: (url: string) => BuyerServers;
  /** A is done before the primary is killed; default: it stands before its write. */
  readonly refusesA?: true;
}

const VARIANTS: readonly Variant[] = [
  {
    strategy: 'token-lua',
    shows: 'the Sentinels elect a replica that has not heard of the lock: two holders',
    takes: 'SET',
    replicas: 1,
    expected: OVERSOLD,
  },
  {
    strategy: 'fenced',
    shows: 'the token repeats after the election: the row lets one of the two write',
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

/** As the scripted failover, but who is promoted, and when, is the Sentinels' business. */
async function play(env: DrillEnvironment, variant: Variant): Promise<void> {
  const { takes, replicas: count, place = (redis): BuyerServers => ({ redis }), refusesA } = variant;
  const { primary, replicas } = await startReplicaSet(env.park, count);
  // Sentinels lead replicas to the primary's own address: behind a wire they would be at a wrong one
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
  const heir = await elected(env, sentinels, primary, replicas);
  const role = await withRedis(heir.url, (redis) => redis.role());
  env.fact(`${heir.server.name} is a primary`, (role as [string])[0] === 'master');
  await inSync(heir, count - 1);
  leadTo(heir, toA, toB);
  const B = await env.buyer('B', place(toB.url));
  await B.finish();
  env.fact('B has held the same lock, too', B.took(takes));
  await A.finish();
}

/** A real failover: three Sentinels find the primary down and elect another one. */
export const SENTINEL: readonly Drill[] = VARIANTS.map((variant) => ({
  name: `sentinel/${variant.strategy}`,
  shows: variant.shows,
  certainBy: 'replication is cut before the lock is taken',
  strategy: variant.strategy,
  options: { leaseMs: 60_000 },
  ...(variant.expected !== undefined && { expected: variant.expected }),
  play: (env) => play(env, variant),
}));

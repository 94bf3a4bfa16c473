import { pollUntil, withRedis, type ClusterNode, type Shard } from '#lab/stack';
import { lockKey, type Expectation } from '#lab/strategy';
import type { Buyer } from '../buyer';
import { OVERSOLD, type Drill } from '../drill';
import { before } from '../messages';
import type { DrillEnvironment } from '../drill-environment';
import { stopReplication } from './replica-set';

/** Longer than an election that has to be repeated. */
const ELECTION_TIMEOUT_MS = 40_000;

interface Variant {
  readonly strategy: string;
  readonly shows: string;
  readonly takes: string;
  /** A script that B runs on the new primary. */
  readonly script: string;
  readonly expected?: Expectation;
}

const VARIANTS: readonly Variant[] = [
  {
    strategy: 'token-lua',
    shows: "the slot's replica is elected and lacks the lock: two holders",
    takes: 'SET',
    script: 'release-if-owner',
    expected: OVERSOLD,
  },
  {
    strategy: 'fenced',
    shows:
      'lock and counter are in one slot, so the token repeats: the row accepts only one of the two writes',
    takes: 'acquire-with-fence',
    script: 'acquire-with-fence',
  },
];

/** The primary of the lock's slot is killed while A holds the lock, and the cluster elects its replica. */
async function play(env: DrillEnvironment, { takes, script }: Variant): Promise<void> {
  const shards = await env.park.redisCluster();
  const nodes = shards.flatMap(({ primary, replica }) => [primary, replica]);
  const redis = nodes.map(({ url }) => url);
  const { primary, replica } = await shardOf(env, shards);
  const A = await env.buyer('A', { redis });
  const B = await env.buyer('B', { redis });
  await stopReplication(env, primary, [replica]);
  await A.runUntil(before('UPDATE balance SET amount'));
  const isThere = await withRedis(primary.url, (node) => node.exists(env.lockKey));
  env.fact(`A holds the lock, and ${primary.server.name} has it`, A.took(takes) && isThere === 1);
  await primary.server.kill();
  env.note(primary.server.name, 'killed');
  replica.server.resume();
  await elected(
    env,
    replica,
    nodes.filter((node) => node !== primary),
  );
  await B.finish();
  env.fact('B held the same lock', B.took(takes));
  env.fact('B ran a script on the new primary', B.took(script));
  env.figure('scripts that the new primary did not have', unknownScripts(B));
  await A.finish();
}

const unknownScripts = ({ steps }: Buyer): number =>
  steps.filter(({ error }) => error?.startsWith('NOSCRIPT')).length;

/** The shard of the lock's slot. All keys of a balance are in one slot, because they have the same hash tag. */
async function shardOf(env: DrillEnvironment, shards: readonly Shard[]): Promise<Shard> {
  const [first] = shards;
  if (first === undefined) throw new Error('The cluster has no nodes');
  const balance = /{(.*)}/.exec(env.lockKey)?.[1] ?? '';
  const keys = [
    balance,
    env.lockKey,
    lockKey(balance, 'fair'),
    `fence:{${balance}}`,
    `line:{${balance}}:fair`,
  ];
  const slots = await withRedis(first.primary.url, (redis) =>
    Promise.all(keys.map((key) => redis.cluster('KEYSLOT', key))),
  );
  const [slot = -1] = slots;
  env.fact(`${keys.join(', ')} are all in slot ${slot}`, new Set(slots).size === 1);
  const ranges = await withRedis(first.primary.url, (redis) => redis.cluster('SLOTS'));
  const owner = ranges.find(([from, to]) => from <= slot && slot <= to);
  const shard = shards.find(({ primary: { id } }) => id === owner?.[2]?.[2]);
  if (shard === undefined) throw new Error(`No primary of the cluster owns slot ${slot}`);
  return shard;
}

/** Resolves when the replica is a primary and all remaining nodes serve. Rejects at the timeout. */
async function elected(
  env: DrillEnvironment,
  successor: ClusterNode,
  left: readonly ClusterNode[],
): Promise<void> {
  const killed = performance.now();
  const limits = { timeoutMs: ELECTION_TIMEOUT_MS, everyMs: 20 };
  if (!(await pollUntil(() => isServed(successor, left), limits)))
    throw new Error(`The cluster elected no primary within ${ELECTION_TIMEOUT_MS / 1000} s`);
  env.note(successor.server.name, 'elected by the cluster');
  env.figure('ms until the cluster served the slot again', Math.round(performance.now() - killed));
  const role = await withRedis(successor.url, (redis) => redis.role());
  env.fact(`${successor.server.name} is a primary`, (role as [string])[0] === 'master');
}

async function isServed({ id }: ClusterNode, left: readonly ClusterNode[]): Promise<boolean> {
  const served = left.map(({ url }) =>
    withRedis(url, async (redis) => {
      const [state, all] = [await redis.cluster('INFO'), await redis.cluster('NODES')].map(String);
      const line = all?.split('\n').find((one) => one.startsWith(id)) ?? '';
      return state?.includes('cluster_state:ok') === true && /\bmaster\b/.test(line);
    }),
  );
  return (await Promise.all(served)).every(Boolean);
}

/** Redis Cluster: locks are routed by their hash tag, and a slot's primary fails over like a single Redis. */
export const CLUSTER: readonly Drill[] = VARIANTS.map((variant) => ({
  name: `cluster/${variant.strategy}`,
  shows: variant.shows,
  certainBy: 'the replica is paused and disconnected before the lock is taken',
  strategy: variant.strategy,
  options: { leaseMs: 60_000 },
  ...(variant.expected !== undefined && { expected: variant.expected }),
  play: (env) => play(env, variant),
}));

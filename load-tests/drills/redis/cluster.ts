import { withRedis, type ClusterNode, type Shard } from '#lab/stack';
import { lockKey, type Expectation } from '#lab/strategy';
import { setTimeout as delay } from 'node:timers/promises';
import type { Buyer } from '../buyer';
import { OVERSOLD, type Drill } from '../drill';
import { before } from '../messages';
import type { DrillEnvironment } from '../drill-environment';
import { stopReplication } from './replica-set';

/** Longer than an election that has to be held again. */
const PATIENCE_MS = 40_000;

interface Variant {
  readonly strategy: string;
  readonly shows: string;
  readonly takes: string;
  /** The script that B runs on the new primary. */
  readonly script: string;
  readonly expected?: Expectation;
}

const VARIANTS: readonly Variant[] = [
  {
    strategy: 'token-lua',
    shows: "the slot's replica is elected without the lock: two holders",
    takes: 'SET',
    script: 'release-if-owner',
    expected: OVERSOLD,
  },
  {
    strategy: 'fenced',
    shows: 'lock and counter are in one slot, and the token repeats: the row lets one of the two write',
    takes: 'acquire-with-fence',
    script: 'acquire-with-fence',
  },
];

/** The primary of the lock's slot dies while A holds the lock, and the cluster elects its replica. */
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
  env.fact('B has held the same lock, too', B.took(takes));
  env.fact('B has run a script on the new primary', B.took(script));
  env.figure('scripts that the new primary had to be taught', unknownScripts(B));
  await A.finish();
}

const unknownScripts = ({ steps }: Buyer): number =>
  steps.filter(({ error }) => error?.startsWith('NOSCRIPT')).length;

/** Every key of a balance is in one slot, whatever the strategy: the hash tag says which. */
async function shardOf(env: DrillEnvironment, shards: readonly Shard[]): Promise<Shard> {
  const [first] = shards;
  if (first === undefined) throw new Error('the cluster has no nodes');
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
  if (shard === undefined) throw new Error(`nobody has slot ${slot}`);
  return shard;
}

/** Resolves when every node that is left serves, and the replica is a primary. */
async function elected(
  env: DrillEnvironment,
  heir: ClusterNode,
  left: readonly ClusterNode[],
): Promise<void> {
  const killed = performance.now();
  while (!(await isServed(heir, left))) {
    if (performance.now() - killed > PATIENCE_MS)
      throw new Error(`the cluster has elected nobody within ${PATIENCE_MS / 1000} s`);
    await delay(20);
  }
  env.note(heir.server.name, 'elected by the cluster');
  env.figure('the cluster serves the slot again after ms', Math.round(performance.now() - killed));
  const role = await withRedis(heir.url, (redis) => redis.role());
  env.fact(`${heir.server.name} is a primary`, (role as [string])[0] === 'master');
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

/** Redis Cluster: locks are routed by their hash tag, and a slot's primary is as mortal as a single one. */
export const CLUSTER: readonly Drill[] = VARIANTS.map((variant) => ({
  name: `cluster/${variant.strategy}`,
  shows: variant.shows,
  certainBy: 'the replica stands still and is cut off before the lock is taken',
  strategy: variant.strategy,
  options: { leaseMs: 60_000 },
  ...(variant.expected !== undefined && { expected: variant.expected }),
  play: (env) => play(env, variant),
}));

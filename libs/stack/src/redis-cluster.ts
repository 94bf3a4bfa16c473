import type { Redis } from 'ioredis';
import type { Claim } from './claim';
import { StackError } from './errors';
import type { Layout } from './layout';
import { until } from './poll';
import { startRedis, type StartedRedis, withRedis } from './redis';

const PRIMARIES = 3;
const SLOTS = 16_384;
const FORM_MS = 30_000;
/** A node that does not answer for so long is suspected; a busy machine must not be. */
const NODE_TIMEOUT_MS = 2000;

export interface ClusterNode extends StartedRedis {
  /** As the cluster calls it. */
  readonly id: string;
}

/** One part of the slots: the primary that has them, and its replica. */
export interface Shard {
  readonly primary: ClusterNode;
  readonly replica: ClusterNode;
}

/** A Redis Cluster of three primaries with a replica each; it has formed, and every replica is in sync. */
export async function startRedisCluster(layout: Layout, claim: Claim): Promise<readonly Shard[]> {
  const nodes = await Promise.all(
    Array.from({ length: 2 * PRIMARIES }, (_, i) => startNode(layout, claim, i + 1)),
  );
  const shards = nodes.slice(0, PRIMARIES).flatMap((primary, i): Shard[] => {
    const replica = nodes[PRIMARIES + i];
    return replica === undefined ? [] : [{ primary, replica }];
  });
  for (const [i, { primary }] of shards.entries()) await ask(primary, (redis) => giveSlots(redis, i));
  for (const one of nodes) for (const other of nodes) if (one !== other) await ask(one, meet(other.url));
  await agreed('know one another', nodes, async (redis) => (await lines(redis)).length === nodes.length);
  for (const { primary, replica } of shards)
    await ask(replica, (redis) => redis.cluster('REPLICATE', primary.id));
  await agreed('are one cluster', nodes, isFormed);
  return shards;
}

async function startNode(layout: Layout, claim: Claim, number: number): Promise<ClusterNode> {
  const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(NODE_TIMEOUT_MS)];
  // a replica that was cut off is elected all the same: what it lacks is what there is to see
  args.push('--cluster-replica-validity-factor', '0');
  const name = `node-${number}` as const;
  const started = await startRedis(layout, claim, name, args, {}, 'with bus');
  const id = await ask(started, async (redis) => {
    await redis.cluster('SET-CONFIG-EPOCH', number);
    return redis.cluster('MYID');
  });
  return { ...started, id };
}

const ask = <T>({ url }: StartedRedis, question: (redis: Redis) => Promise<T>): Promise<T> =>
  withRedis(url, question);

/** The part of the slots with this number, from 0. */
function giveSlots(redis: Redis, part: number): Promise<unknown> {
  const first = Math.ceil((part * SLOTS) / PRIMARIES);
  const next = Math.ceil(((part + 1) * SLOTS) / PRIMARIES);
  return redis.cluster('ADDSLOTS', ...Array.from({ length: next - first }, (_, i) => first + i));
}

const meet =
  (url: string) =>
  (redis: Redis): Promise<unknown> =>
    redis.cluster('MEET', new URL(url).hostname, Number(new URL(url).port));

/** What a node knows of the nodes that are no strangers any more, a line for each. */
async function lines(redis: Redis): Promise<string[]> {
  const all = (await redis.cluster('NODES')) as string;
  return all
    .trimEnd()
    .split('\n')
    .filter((line) => !/handshake|noaddr/.test(line));
}

async function isFormed(redis: Redis): Promise<boolean> {
  const state = await redis.cluster('INFO');
  const replicas = (await lines(redis)).filter((line) => /\bslave\b/.test(line));
  const own = await redis.info('replication');
  return (
    state.includes('cluster_state:ok') &&
    replicas.length === PRIMARIES &&
    /role:slave[^]*master_link_status:up|role:master[^]*connected_slaves:1\b/.test(own)
  );
}

async function agreed(
  what: string,
  nodes: readonly ClusterNode[],
  probe: (redis: Redis) => Promise<boolean>,
): Promise<void> {
  const all = async (): Promise<boolean> =>
    (await Promise.all(nodes.map((node) => ask(node, probe)))).every(Boolean);
  if (await until(all, { timeoutMs: FORM_MS, everyMs: 50 })) return;
  throw new StackError(
    'STACK.START_FAILED',
    `the nodes of the Redis Cluster did not ${what} within ${FORM_MS / 1000} s: see ${nodes[0]?.server.log ?? 'their logs'}`,
  );
}

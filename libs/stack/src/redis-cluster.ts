import type { Redis } from 'ioredis';
import type { Claim } from './claim';
import { StackError } from './errors';
import type { Layout } from './layout';
import { PROCESS_MS, pollUntil } from './poll';
import { startRedis, type StartedRedis, withRedis } from './redis';

const PRIMARIES = 3;
const SLOTS = 16_384;
/** Time without an answer after which a node is suspected; long enough for a busy machine. */
const NODE_TIMEOUT_MS = 2000;

export interface ClusterNode extends StartedRedis {
  /** The node id within the cluster. */
  readonly id: string;
}

/** A range of slots: the primary that owns them, and its replica. */
export interface Shard {
  readonly primary: ClusterNode;
  readonly replica: ClusterNode;
}

/** Starts a Redis Cluster of three primaries with a replica each. Resolves when every replica is in sync. */
export async function startRedisCluster(layout: Layout, claim: Claim): Promise<readonly Shard[]> {
  const nodes = await Promise.all(
    Array.from({ length: 2 * PRIMARIES }, (_, i) => startNode(layout, claim, i + 1)),
  );
  const shards = nodes.slice(0, PRIMARIES).flatMap((primary, i): Shard[] => {
    const replica = nodes[PRIMARIES + i];
    return replica === undefined ? [] : [{ primary, replica }];
  });
  for (const [i, { primary }] of shards.entries()) await onNode(primary, (redis) => assignSlots(redis, i));
  for (const one of nodes) for (const other of nodes) if (one !== other) await onNode(one, meet(other.url));
  await waitForAll(
    'discover one another',
    nodes,
    async (redis) => (await knownNodes(redis)).length === nodes.length,
  );
  for (const { primary, replica } of shards)
    await onNode(replica, (redis) => redis.cluster('REPLICATE', primary.id));
  await waitForAll('form a cluster', nodes, isFormed);
  return shards;
}

async function startNode(layout: Layout, claim: Claim, number: number): Promise<ClusterNode> {
  const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(NODE_TIMEOUT_MS)];
  // a replica that was cut off may be elected: drills show the writes that it lacks
  args.push('--cluster-replica-validity-factor', '0');
  const name = `node-${number}` as const;
  const started = await startRedis(layout, claim, name, args, {}, 'with bus');
  const id = await onNode(started, async (redis) => {
    await redis.cluster('SET-CONFIG-EPOCH', number);
    return redis.cluster('MYID');
  });
  return { ...started, id };
}

const onNode = <T>({ url }: StartedRedis, use: (redis: Redis) => Promise<T>): Promise<T> =>
  withRedis(url, use);

/** Assigns the range of slots with this number, from 0. */
function assignSlots(redis: Redis, part: number): Promise<unknown> {
  const first = Math.ceil((part * SLOTS) / PRIMARIES);
  const next = Math.ceil(((part + 1) * SLOTS) / PRIMARIES);
  return redis.cluster('ADDSLOTS', ...Array.from({ length: next - first }, (_, i) => first + i));
}

const meet =
  (url: string) =>
  (redis: Redis): Promise<unknown> =>
    redis.cluster('MEET', new URL(url).hostname, Number(new URL(url).port));

/** One line of CLUSTER NODES for each node with which the handshake is complete. */
async function knownNodes(redis: Redis): Promise<string[]> {
  const all = (await redis.cluster('NODES')) as string;
  return all
    .trimEnd()
    .split('\n')
    .filter((line) => !/handshake|noaddr/.test(line));
}

async function isFormed(redis: Redis): Promise<boolean> {
  const state = await redis.cluster('INFO');
  const replicas = (await knownNodes(redis)).filter((line) => /\bslave\b/.test(line));
  const own = await redis.info('replication');
  return (
    state.includes('cluster_state:ok') &&
    replicas.length === PRIMARIES &&
    /role:slave[^]*master_link_status:up|role:master[^]*connected_slaves:1\b/.test(own)
  );
}

async function waitForAll(
  goal: string,
  nodes: readonly ClusterNode[],
  probe: (redis: Redis) => Promise<boolean>,
): Promise<void> {
  const all = async (): Promise<boolean> =>
    (await Promise.all(nodes.map((node) => onNode(node, probe)))).every(Boolean);
  if (await pollUntil(all, { timeoutMs: PROCESS_MS, everyMs: 50 })) return;
  throw new StackError(
    'STACK.START_FAILED',
    `The nodes of the Redis Cluster did not ${goal} within ${PROCESS_MS / 1000} s. See ${nodes[0]?.server.log ?? 'their logs'}`,
  );
}

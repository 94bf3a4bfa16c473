import { count } from '#lab/step';
import {
  acknowledgedBy,
  pollUntil,
  withRedis,
  type ServerPark,
  type StartedRedis,
  type FaultProxy,
} from '#lab/stack';
import type { DrillEnvironment } from '../drill-environment';

/** How long the primary may take to notice that its replicas are gone; the fact that follows says whether it did. */
const NOTICE = { timeoutMs: 20_000, everyMs: 1 };

/** A replica, and the fault proxy through which it replicates. */
export interface Follower extends StartedRedis {
  readonly link: FaultProxy;
}

/** A primary and its replicas. */
export interface ReplicaSet {
  readonly primary: StartedRedis;
  readonly replicas: readonly [Follower, ...Follower[]];
}

/** A client's fault proxy, which is redirected to its current primary. */
export type Road = Awaited<ReturnType<ServerPark['faultProxy']>>;

/** Starts a primary with replicas; resolves when all replicas are in sync. `args` apply to every server. */
export async function startReplicaSet(
  park: ServerPark,
  count: number,
  args: readonly string[] = [],
): Promise<ReplicaSet> {
  const primary = await park.redis('primary', args);
  const join = async (n: number): Promise<Follower> => {
    const { faultProxy, url } = await park.faultProxy(primary.url);
    const following = ['--replicaof', ...hostAndPort(url), ...args];
    return { ...(await park.redis(`replica-${n}`, following)), link: faultProxy };
  };
  const set: ReplicaSet = { primary, replicas: [await join(1), ...(await rest(count, join))] };
  await inSync(primary, count);
  return set;
}

const rest = (count: number, join: (n: number) => Promise<Follower>): Promise<Follower[]> =>
  Promise.all(Array.from({ length: count - 1 }, (_, i) => join(i + 2)));

/** Fault proxies for two clients. */
export const roadsTo = async (park: ServerPark, { url }: StartedRedis): Promise<readonly [Road, Road]> => [
  await park.faultProxy(url),
  await park.faultProxy(url),
];

const SYNC_MS = 30_000;

/** Resolves when this number of replicas have all data and receive new writes. Rejects at the timeout. */
export async function inSync({ server, url }: StartedRedis, wanted: number): Promise<void> {
  await withRedis(url, async (redis) => {
    const isInSync = async (): Promise<boolean> => (await acknowledgedBy(redis, wanted, 100)) >= wanted;
    if (!(await pollUntil(isInSync, { timeoutMs: SYNC_MS, everyMs: 5 })))
      throw new Error(
        `${server.name} did not have ${count(wanted, 'replica')} in sync after ${SYNC_MS / 1000} s`,
      );
  });
}

/**
 * Cuts these replicas off; resolves when the primary has noticed. A SIGKILL of the primary alone loses no write: the
 * kernel still delivers what is in the sockets' buffers.
 */
export async function cutReplication(
  env: DrillEnvironment,
  { primary, replicas }: ReplicaSet,
  cut: readonly Follower[] = replicas,
): Promise<void> {
  for (const { link } of cut) link.cut();
  const remaining = replicas.length - cut.length;
  await withRedis(primary.url, async (redis) => {
    await pollUntil(async () => (await followers(redis)) <= remaining, NOTICE);
    env.fact(
      `the primary has ${remaining} of its ${count(replicas.length, 'replica')}`,
      (await followers(redis)) === remaining,
    );
  });
}

/** Like `cutReplication`, for replicas without a proxy: pauses them and closes their connections at the primary. */
export async function stopReplication(
  env: DrillEnvironment,
  primary: StartedRedis,
  replicas: readonly StartedRedis[],
): Promise<void> {
  for (const { server } of replicas) await server.pause();
  await withRedis(primary.url, async (redis) => {
    await redis.client('KILL', 'TYPE', 'replica');
    await pollUntil(async () => (await followers(redis)) === 0, NOTICE);
    env.fact('the primary has lost its replicas', (await followers(redis)) === 0);
  });
}

/** Kills the primary for good and promotes the successor. */
export async function failOver(env: DrillEnvironment, set: ReplicaSet, successor: Follower): Promise<void> {
  await set.primary.server.kill();
  env.note('primary', 'killed');
  await promote(env, set, successor);
  env.fact('the old primary is dead', !set.primary.server.isUp);
}

/** Promotes the successor; resolves when the other replicas are in sync with it. */
export async function promote(
  env: DrillEnvironment,
  { replicas }: ReplicaSet,
  successor: Follower,
): Promise<void> {
  const others = replicas.filter((one) => one !== successor);
  const { name } = successor.server;
  const role = await withRedis(successor.url, async (redis) => {
    await redis.replicaof('NO', 'ONE');
    return (await redis.role()) as [string];
  });
  env.note(name, `promoted: ${role[0]}`);
  env.fact(`${name} is a primary`, role[0] === 'master');
  for (const { url } of others) await follow(url, successor.url);
  await inSync(successor, others.length);
}

/** Makes the server at `url` a replica of `primary`. It loses the data that `primary` lacks. */
export const follow = (url: string, primary: string): Promise<unknown> =>
  withRedis(url, (redis) => redis.replicaof(...hostAndPort(primary)));

/** Redirects these clients to another server. */
export function leadTo({ url }: Pick<StartedRedis, 'url'>, ...roads: readonly Road[]): void {
  const [host, port] = hostAndPort(url);
  for (const { faultProxy } of roads) faultProxy.lead(host, Number(port));
}

export const hostAndPort = (url: string): [host: string, port: string] => {
  const { hostname, port } = new URL(url);
  return [hostname, port];
};

/** The number of connected replicas, according to the primary. */
async function followers(redis: { info(section: string): Promise<string> }): Promise<number> {
  return Number(/connected_slaves:(\d+)/.exec(await redis.info('replication'))?.[1]);
}

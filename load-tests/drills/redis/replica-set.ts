import { count } from '#lab/step';
import { acknowledgedBy, withRedis, type ServerPark, type StartedRedis, type FaultProxy } from '#lab/stack';
import { setTimeout as delay } from 'node:timers/promises';
import type { DrillEnvironment } from '../drill-environment';

/** A replica, and the network over which it follows its primary. */
export interface Follower extends StartedRedis {
  readonly link: FaultProxy;
}

/** A primary and its replicas. */
export interface ReplicaSet {
  readonly primary: StartedRedis;
  readonly replicas: readonly [Follower, ...Follower[]];
}

/** The way of one client to whoever is the primary for it. */
export type Road = Awaited<ReturnType<ServerPark['faultProxy']>>;

/** Resolves when all replicas have what the primary has. `args` are for every server. */
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

/** Roads for two clients. */
export const roadsTo = async (park: ServerPark, { url }: StartedRedis): Promise<readonly [Road, Road]> => [
  await park.faultProxy(url),
  await park.faultProxy(url),
];

const SYNC_MS = 30_000;

/** Resolves when so many replicas have all that the server has written, and follow what it writes. */
export async function inSync({ server, url }: StartedRedis, wanted: number): Promise<void> {
  const until = performance.now() + SYNC_MS;
  await withRedis(url, async (redis) => {
    while ((await acknowledgedBy(redis, wanted, 100)) < wanted) {
      if (performance.now() > until)
        throw new Error(
          `${server.name} has not ${count(wanted, 'replica')} in sync after ${SYNC_MS / 1000} s`,
        );
      await delay(5);
    }
  });
}

/** From now on nothing reaches these replicas, and the primary knows. DESIGN.md, "Traps": SIGKILL alone loses nothing. */
export async function cutReplication(
  env: DrillEnvironment,
  { primary, replicas }: ReplicaSet,
  cut: readonly Follower[] = replicas,
): Promise<void> {
  for (const { link } of cut) link.cut();
  const left = replicas.length - cut.length;
  await withRedis(primary.url, async (redis) => {
    while ((await followers(redis)) > left) await delay(1);
    env.fact(
      `the primary has ${left} of its ${count(replicas.length, 'replica')}`,
      (await followers(redis)) === left,
    );
  });
}

/** The same where replicas follow the primary itself: they stand still, and the primary forgets them. */
export async function stopReplication(
  env: DrillEnvironment,
  primary: StartedRedis,
  replicas: readonly StartedRedis[],
): Promise<void> {
  for (const { server } of replicas) await server.pause();
  await withRedis(primary.url, async (redis) => {
    await redis.client('KILL', 'TYPE', 'replica');
    while ((await followers(redis)) > 0) await delay(1);
    env.fact('the primary has lost its replicas', (await followers(redis)) === 0);
  });
}

/** The primary dies for good, and the heir takes its place. */
export async function failOver(env: DrillEnvironment, set: ReplicaSet, heir: Follower): Promise<void> {
  await set.primary.server.kill();
  env.note('primary', 'killed');
  await promote(env, set, heir);
  env.fact('the old primary is dead', !set.primary.server.isUp);
}

/** The heir is a primary, and the other replicas follow it. */
export async function promote(
  env: DrillEnvironment,
  { replicas }: ReplicaSet,
  heir: Follower,
): Promise<void> {
  const others = replicas.filter((one) => one !== heir);
  const { name } = heir.server;
  const role = await withRedis(heir.url, async (redis) => {
    await redis.replicaof('NO', 'ONE');
    return (await redis.role()) as [string];
  });
  env.note(name, `promoted: ${role[0]}`);
  env.fact(`${name} is a primary`, role[0] === 'master');
  for (const { url } of others) await follow(url, heir.url);
  await inSync(heir, others.length);
}

/** The server at `url` becomes a replica of `primary`: it forgets what only itself has. */
export const follow = (url: string, primary: string): Promise<unknown> =>
  withRedis(url, (redis) => redis.replicaof(...hostAndPort(primary)));

/** From now on these clients are led to another server. */
export function leadTo({ url }: Pick<StartedRedis, 'url'>, ...roads: readonly Road[]): void {
  const [host, port] = hostAndPort(url);
  for (const { faultProxy } of roads) faultProxy.lead(host, Number(port));
}

export const hostAndPort = (url: string): [host: string, port: string] => {
  const { hostname, port } = new URL(url);
  return [hostname, port];
};

/** How many replicas are connected, as the primary says. */
async function followers(redis: { info(section: string): Promise<string> }): Promise<number> {
  return Number(/connected_slaves:(\d+)/.exec(await redis.info('replication'))?.[1]);
}

import { askEtcd, askZookeeper, withRedis, type Member } from '#lab/stack';
import { SteppedEtcd, SteppedZooKeeper } from '#lab/step';
import { lockKey } from '#lab/strategy';
import { inTheEnd } from './in-time';
import { BALANCE, type BuyerServers, type DrillEnvironment } from '../drill-environment';

/** A place in the queue of a lock, as the server says it. */
export interface Ticket {
  /** Whose it is; where the server does not say it: undefined. */
  readonly buyer?: string;
  /** The number that the server gave it. */
  readonly fence?: number;
  /** The session or lease that it lives and dies with. */
  readonly session?: string;
}

/** One server with locks, or several that know one another, and what they say of themselves. */
export interface LockServers {
  readonly members: readonly Member[];
  /** For a buyer: these members, all unless said otherwise, and how long a session or lease is. */
  readonly place: (members?: readonly Member[]) => BuyerServers;
  /** Who has the lock, and who waits behind. Rejects when the servers are away for too long. */
  readonly queue: (strategy: string) => Promise<readonly Ticket[]>;
}

/** ZooKeeper or etcd: members that choose a leader among themselves. */
export interface Ensemble extends LockServers {
  /** Members that say of themselves that they lead. */
  readonly leaders: () => Promise<readonly Member[]>;
  /** A connection like a buyer's, which makes a change whenever it is asked to; it is there when it resolves. */
  readonly changes: (members: readonly Member[]) => Promise<() => Promise<unknown>>;
}

export type Kind = 'zookeeper' | 'etcd';

const urls = (members: readonly Member[]): string => members.map(({ url }) => url).join(',');

/** ZooKeeper with so many members; sessions last `sessionMs`. */
export async function startZookeeper(
  env: DrillEnvironment,
  members: number,
  sessionMs: number,
): Promise<Ensemble> {
  const all = await env.park.zookeeper(members);
  const open = (some: readonly Member[]): SteppedZooKeeper => {
    const client = new SteppedZooKeeper({ address: urls(some), sessionMs });
    env.leaves(() => {
      client.disconnect();
    });
    return client;
  };
  const witness = open(all);
  await witness.connect();
  let asked = 0;
  return {
    members: all,
    place: (some = all) => ({ servers: { zookeeper: urls(some) }, sessionMs }),
    queue: (strategy) =>
      inTheEnd(async () => {
        const path = `/${lockKey(BALANCE, strategy)}`;
        const { session } = witness;
        // a member reads what it has, and may be behind: with a write of its own it has all that was before
        await session.create(`/asked-${session.id}-${++asked}`, '');
        const names = await session.children(path);
        const paths = names.length > 0 ? names.map((name) => `${path}/${name}`) : [path];
        const nodes = await Promise.all(paths.map((one) => session.get(one)));
        return nodes.flatMap((node) =>
          node?.session === undefined
            ? []
            : [{ buyer: node.content, fence: node.czxid, session: node.session }],
        );
      }),
    leaders: () => which(all, async ({ url }) => (await askZookeeper(url, 'srvr'))?.includes('Mode: leader')),
    changes: async (some) => {
      const client = open(some);
      await client.connect();
      let n = 0;
      return () => client.session.create(`/seen-${client.session.id}-${++n}`, '');
    },
  };
}

/** The member of ZooKeeper that says that it has this session; undefined: none. */
export const memberWith = async (
  { members }: LockServers,
  session: string | undefined,
): Promise<Member | undefined> => {
  const id = `sid=0x${BigInt(`0x${session ?? '0'}`).toString(16)},`;
  return (await which(members, async ({ url }) => (await askZookeeper(url, 'cons'))?.includes(id)))[0];
};

/** etcd with so many members; leases last `leaseMs`. */
export async function startEtcd(env: DrillEnvironment, members: number, leaseMs: number): Promise<Ensemble> {
  const all = await env.park.etcd(members);
  const open = (some: readonly Member[]): SteppedEtcd => {
    const client = new SteppedEtcd({ url: urls(some) });
    env.leaves(() => {
      client.disconnect();
    });
    return client;
  };
  const witness = open(all);
  return {
    members: all,
    place: (some = all) => ({ servers: { etcd: urls(some) }, options: { leaseMs } }),
    queue: async (strategy) =>
      (await inTheEnd(() => witness.list(`${lockKey(BALANCE, strategy)}/`))).map(
        ({ value, revision, lease }) => ({
          buyer: value,
          fence: revision,
          ...(lease !== undefined && { session: lease }),
        }),
      ),
    leaders: () =>
      which(all, async ({ url }) => {
        const { leader, header } = (await askEtcd(url, 'maintenance/status')) as {
          leader?: string;
          header?: { member_id?: string };
        };
        return leader !== undefined && leader === header?.member_id;
      }),
    changes: async (some) => {
      const client = open(some);
      await client.list('nothing');
      return () => client.grant(1000);
    },
  };
}

/** One Redis: no sessions, and it says only whether there is a lock. */
export async function startRedis(env: DrillEnvironment, leaseMs: number): Promise<LockServers> {
  const redis = await env.park.redis('redis-1');
  return {
    members: [redis],
    place: () => ({ redis: redis.url, options: { leaseMs } }),
    queue: (strategy) =>
      withRedis(redis.url, async (client) =>
        (await client.exists(lockKey(BALANCE, strategy))) === 0 ? [] : [{}],
      ),
  };
}

export const START: Readonly<
  Record<Kind, (env: DrillEnvironment, members: number, ms: number) => Promise<Ensemble>>
> = { zookeeper: startZookeeper, etcd: startEtcd };

/** Those members of which it is true; one that is silent is not asked for longer than a second. */
async function which(
  members: readonly Member[],
  isTrue: (member: Member) => Promise<boolean | undefined>,
): Promise<readonly Member[]> {
  const answers = await Promise.all(members.map(isTrue));
  return members.filter((_, i) => answers[i] === true);
}

import { askEtcd, askZookeeper, withRedis, type Member } from '#lab/stack';
import { SteppedEtcd, SteppedZooKeeper } from '#lab/step';
import { lockKey } from '#lab/strategy';
import { inTheEnd } from './in-time';
import { BALANCE, type BuyerServers, type DrillEnvironment } from '../drill-environment';

/** A position in a lock's queue, as reported by the server. */
export interface Ticket {
  /** The buyer at this position; absent when the server does not report it. */
  readonly buyer?: string;
  /** The number that the server assigned (czxid, revision). */
  readonly fence?: number;
  /** The session or lease whose end removes the position. */
  readonly session?: string;
}

/** A standalone lock server, or the members of an ensemble, with queries of their state. */
export interface LockServers {
  readonly members: readonly Member[];
  /** A buyer's addresses of these members (default: all) and the length of its session or lease. */
  readonly place: (members?: readonly Member[]) => BuyerServers;
  /** The holder of the lock, followed by the waiters. Rejects when the servers stay unreachable. */
  readonly queue: (strategy: string) => Promise<readonly Ticket[]>;
}

/** ZooKeeper or etcd: members that elect a leader. */
export interface Ensemble extends LockServers {
  /** The members that report themselves as leader. */
  readonly leaders: () => Promise<readonly Member[]>;
  /** Connects like a buyer. Each call of the returned function makes one change. */
  readonly changes: (members: readonly Member[]) => Promise<() => Promise<unknown>>;
}

export type Kind = 'zookeeper' | 'etcd';

const urls = (members: readonly Member[]): string => members.map(({ url }) => url).join(',');

/** Starts ZooKeeper with this number of members; sessions last `sessionMs`. */
export async function startZookeeper(
  env: DrillEnvironment,
  members: number,
  sessionMs: number,
): Promise<Ensemble> {
  const all = await env.park.zookeeper(members);
  const open = (some: readonly Member[]): SteppedZooKeeper => {
    const client = new SteppedZooKeeper({ address: urls(some), sessionMs });
    env.onClose(() => {
      client.disconnect();
    });
    return client;
  };
  const witness = open(all);
  await witness.connect();
  let queries = 0;
  return {
    members: all,
    place: (some = all) => ({ servers: { zookeeper: urls(some) }, sessionMs }),
    queue: (strategy) =>
      inTheEnd(async () => {
        const path = `/${lockKey(BALANCE, strategy)}`;
        const { session } = witness;
        // a member may serve stale reads; after a write of this session it has every earlier change
        await session.create(`/asked-${session.id}-${++queries}`, '');
        const names = await session.children(path);
        const paths = names.length > 0 ? names.map((name) => `${path}/${name}`) : [path];
        const nodes = await Promise.all(paths.map((one) => session.get(one)));
        return nodes.flatMap((node) =>
          node?.session === undefined
            ? []
            : [{ buyer: env.buyerOf(node.content), fence: node.czxid, session: node.session }],
        );
      }),
    leaders: () =>
      membersWhere(all, async ({ url }) => (await askZookeeper(url, 'srvr'))?.includes('Mode: leader')),
    changes: async (some) => {
      const client = open(some);
      await client.connect();
      let n = 0;
      return () => client.session.create(`/seen-${client.session.id}-${++n}`, '');
    },
  };
}

/** The ZooKeeper member that reports a connection of this session; undefined: none. */
export const memberWith = async (
  { members }: LockServers,
  session: string | undefined,
): Promise<Member | undefined> => {
  const id = `sid=0x${BigInt(`0x${session ?? '0'}`).toString(16)},`;
  return (await membersWhere(members, async ({ url }) => (await askZookeeper(url, 'cons'))?.includes(id)))[0];
};

/** Starts etcd with this number of members; leases last `leaseMs`. */
export async function startEtcd(env: DrillEnvironment, members: number, leaseMs: number): Promise<Ensemble> {
  const all = await env.park.etcd(members);
  const open = (some: readonly Member[]): SteppedEtcd => {
    const client = new SteppedEtcd({ url: urls(some) });
    env.onClose(() => {
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
      membersWhere(all, async ({ url }) => {
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

/** Starts one Redis. It has no sessions, and reports only whether the lock exists. */
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

/** The members for which it is true. A member that does not answer within a second counts as false. */
async function membersWhere(
  members: readonly Member[],
  isTrue: (member: Member) => Promise<boolean | undefined>,
): Promise<readonly Member[]> {
  const answers = await Promise.all(members.map(isTrue));
  return members.filter((_, i) => answers[i] === true);
}

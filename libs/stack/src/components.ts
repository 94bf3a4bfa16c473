import type { Component, ServerAddresses } from '#lab/step';
import type { Claim } from './claim';
import { etcdConditions, startEtcd } from './etcd';
import { startGateway } from './gateway';
import type { Layout } from './layout';
import { info, startRedis } from './redis';
import { ReplicatedRedis } from './replicated-redis';
import type { Server } from './server';
import type { Conditions, Durability } from './types';
import { startZookeeper, zookeeperConditions } from './zookeeper';

const VOTERS = 5;

/** A running component. */
interface Started {
  /** In the order in which they are stopped. */
  readonly servers: readonly Server[];
  readonly addresses: ServerAddresses;
  /** Resolves when the running servers are in sync. */
  readonly settle?: () => Promise<void>;
}

type Start = (layout: Layout, claim: Claim, durability: Durability) => Promise<Started>;

const START: Readonly<Record<Component, Start>> = {
  redlock: async (layout, claim) => {
    const names = Array.from({ length: VOTERS }, (_, i) => `redis-${i + 1}` as const);
    const voters = await Promise.all(names.map((name) => startRedis(layout, claim, name)));
    return {
      servers: voters.map(({ server }) => server),
      addresses: { voters: voters.map(({ url }) => url) },
    };
  },
  replica: async (layout, claim) => {
    const replicated = await ReplicatedRedis.start(layout, claim);
    return {
      servers: replicated.servers,
      addresses: { primary: replicated.url },
      settle: () => replicated.inSync(),
    };
  },
  zookeeper: async (layout, claim, durability) => {
    const { server, url } = await startZookeeper(layout, durability, claim);
    return { servers: [server], addresses: { zookeeper: url } };
  },
  etcd: async (layout, claim, durability) => {
    const { server, url } = await startEtcd(layout, durability, claim);
    return { servers: [server], addresses: { etcd: url } };
  },
  gateway: async (layout, claim) => {
    const { server, url } = await startGateway(layout, claim);
    return { servers: [server], addresses: { gateway: url } };
  },
};

/** The servers on demand of one stack. Concurrent requests for a component start it once. */
export class Components {
  private readonly starting = new Map<Component, Promise<Started>>();
  private readonly running = new Map<Component, Started>();

  constructor(
    private readonly layout: Layout,
    private readonly claim: Claim,
    private readonly durability: Durability,
  ) {}

  /** Resolves when all components answer. @throws StackError STACK.PROGRAM_MISSING, STACK.START_FAILED, STACK.STOPPED */
  async provide(components: readonly Component[]): Promise<void> {
    await Promise.all(components.map((component) => this.once(component)));
  }

  get addresses(): ServerAddresses {
    return Object.assign({}, ...this.started.map(({ addresses }) => addresses)) as ServerAddresses;
  }

  get servers(): readonly Server[] {
    return this.started.flatMap(({ servers }) => servers);
  }

  /** In a fixed order, independent of the order of the starts. */
  private get started(): readonly Started[] {
    return (Object.keys(START) as Component[]).flatMap((component) => this.running.get(component) ?? []);
  }

  /** Resolves when the other servers of the same component are in sync with this one. */
  async settle(server: Server): Promise<void> {
    await this.started.find(({ servers }) => servers.includes(server))?.settle?.();
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.starting.values());
    await Promise.all(
      this.started.map(async ({ servers }) => {
        for (const server of servers) await server.stop();
      }),
    );
  }

  private once(component: Component): Promise<Started> {
    const known = this.starting.get(component);
    if (known) return known;
    const start = START[component](this.layout, this.claim, this.durability);
    this.starting.set(component, start);
    start.then(
      (started) => this.running.set(component, started),
      () => this.starting.delete(component), // a later request may succeed, for instance after the program was installed
    );
    return start;
  }
}

/** Versions and counts of the servers on demand. A server that is down is `unknown`, because a run may end in that state. */
export async function componentConditions({
  voters,
  primary,
  zookeeper,
  etcd,
}: ServerAddresses): Promise<Conditions> {
  return {
    ...(voters !== undefined && { redlockVoters: voters.length }),
    ...(primary !== undefined && {
      redisReplicas: Number((await info(primary, 'replication'))?.['connected_slaves'] ?? NaN) || 'unknown',
    }),
    ...(zookeeper !== undefined && (await zookeeperConditions(zookeeper))),
    ...(etcd !== undefined && (await etcdConditions(etcd))),
  };
}

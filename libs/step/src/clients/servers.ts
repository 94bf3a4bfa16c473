import { dropped } from '../seam';
import { SteppedEtcd } from './etcd';
import { SteppedGateway } from './gateway';
import { SteppedRedis } from './redis';
import { SteppedZooKeeper } from './zookeeper';

/** Servers that only some strategies and guards need; the lab starts them on demand. */
export const COMPONENTS = {
  redlock: 'five Redis that know nothing of each other',
  replica: 'a Redis primary with two replicas',
  zookeeper: 'ZooKeeper',
  etcd: 'etcd',
  gateway: 'the message gateway',
} as const;
export type Component = keyof typeof COMPONENTS;
export const COMPONENT_NAMES = Object.keys(COMPONENTS) as Component[];

/** A strategy or guard needs a server that the lab was started without. */
export class ComponentMissing extends Error {
  readonly code = 'COMPONENT.MISSING';

  constructor(readonly component: Component) {
    super(
      `the request needs ${COMPONENTS[component]}: start the lab with "npm start -- --with ${component}", or choose another strategy or guard`,
    );
    this.name = 'ComponentMissing';
  }
}

/** Addresses of the servers on demand; absent: not started. */
export interface ServerAddresses {
  /** `redlock`: `redis://host:port[/db]` of each voter. */
  readonly voters?: readonly string[];
  /** `replica`: `redis://host:port[/db]` of the primary. */
  readonly primary?: string;
  /** `host:port[,host:port…][/chroot]`, the format of ZooKeeper's clients. */
  readonly zookeeper?: string;
  /** `http://host:port[,http://host:port…][/prefix]`: members of a cluster; all keys begin with the prefix. */
  readonly etcd?: string;
  /** `http://host:port[/namespace]` of the message gateway. */
  readonly gateway?: string;
}

/** The address that each component needs. */
const ADDRESSES = {
  redlock: 'voters',
  replica: 'primary',
  zookeeper: 'zookeeper',
  etcd: 'etcd',
  gateway: 'gateway',
} as const satisfies Record<Component, keyof ServerAddresses>;

/** The components with an address. */
export const componentsAt = (addresses: ServerAddresses): readonly Component[] =>
  COMPONENT_NAMES.filter((component) => addresses[ADDRESSES[component]] !== undefined);

/** Options of all servers on demand; each is ignored where it does not apply. */
export interface ServersOptions {
  /** ZooKeeper's session timeout, milliseconds. */
  readonly sessionMs?: number;
  /** Milliseconds without a reply after which a call fails as `DependencyDown`. */
  readonly timeoutMs?: number;
  /** See `SteppedEtcdOptions`. */
  readonly leastLeaseMs?: number;
  /** See `SteppedRedisOptions`. */
  readonly replicaMs?: number;
}

/** Connections to the servers on demand. Getting one that was not started throws `ComponentMissing`. */
export class Servers {
  /** The components with an address. */
  readonly components: readonly Component[];
  private readonly connections: {
    readonly voters?: readonly SteppedRedis[];
    readonly primary?: SteppedRedis;
    readonly zookeeper?: SteppedZooKeeper;
    readonly etcd?: SteppedEtcd;
    readonly gateway?: SteppedGateway;
  };

  /** `name` is shown by CLIENT LIST. */
  constructor(addresses: ServerAddresses, name: string, options: ServersOptions = {}) {
    const { voters, primary, zookeeper, etcd, gateway } = addresses;
    this.components = componentsAt(addresses);
    this.connections = {
      ...(voters !== undefined && {
        voters: voters.map((url, i) => new SteppedRedis({ ...options, url, name, server: `redis-${i + 1}` })),
      }),
      ...(primary !== undefined && {
        primary: new SteppedRedis({ ...options, url: primary, name, server: 'primary' }),
      }),
      ...(zookeeper !== undefined && { zookeeper: new SteppedZooKeeper({ ...options, address: zookeeper }) }),
      ...(etcd !== undefined && { etcd: new SteppedEtcd({ ...options, url: etcd }) }),
      ...(gateway !== undefined && { gateway: new SteppedGateway({ ...options, url: gateway }) }),
    };
  }

  /** `redlock`: independent Redis servers. */
  get voters(): readonly SteppedRedis[] {
    return this.connections.voters ?? missing('redlock');
  }

  /** `replica`: the primary of a Redis with replicas. */
  get primary(): SteppedRedis {
    return this.connections.primary ?? missing('replica');
  }

  /** `zookeeper`: this process's client. */
  get zookeeper(): SteppedZooKeeper {
    return this.connections.zookeeper ?? missing('zookeeper');
  }

  get etcd(): SteppedEtcd {
    return this.connections.etcd ?? missing('etcd');
  }

  /** `gateway`: delivers messages to customers. */
  get gateway(): SteppedGateway {
    return this.connections.gateway ?? missing('gateway');
  }

  /** Connects to all servers. An unreachable one is retried in the background; its strategies fail with 503 meanwhile. */
  async connect(prepare: (redis: SteppedRedis) => Promise<unknown>): Promise<void> {
    const { zookeeper } = this.connections;
    await Promise.all([
      ...this.redises.map((redis) => {
        redis.on('ready', () => void prepare(redis).catch(dropped('the preparation of a Redis')));
        return redis.connect().catch(dropped(`the first connection to ${redis.server ?? 'Redis'}`));
      }),
      zookeeper?.connect().catch(dropped('the first connection to ZooKeeper')),
    ]);
  }

  disconnect(): void {
    for (const redis of this.redises) redis.disconnect();
    this.connections.zookeeper?.disconnect();
    this.connections.etcd?.disconnect();
    this.connections.gateway?.disconnect();
  }

  /** All Redis servers among them. */
  get redises(): readonly SteppedRedis[] {
    const { voters = [], primary } = this.connections;
    return [...voters, ...(primary === undefined ? [] : [primary])];
  }
}

function missing(component: Component): never {
  throw new ComponentMissing(component);
}

import type { Component, ServerAddresses } from '#lab/step';

/** The applications that run as replicas. */
export type AppName = 'order' | 'inventory' | 'account';

/** The servers under the replicas, by the names that kill, pause, resume and restart understand. */
export type ServerName =
  | 'redis'
  | 'mysql'
  | 'nginx'
  | `redis-${number}`
  | 'primary'
  | `replica-${number}`
  | `sentinel-${number}`
  | `node-${number}`
  | 'zookeeper'
  | `zookeeper-${number}`
  | 'etcd'
  | `etcd-${number}`;

export interface ReplicaCounts {
  readonly order: number;
  readonly inventory: number;
  /** None unless said otherwise: `scale` adds them when they are needed. */
  readonly account?: number;
}

export interface StackOptions {
  /** Folder of this stack's data, logs, history and sockets, e.g. `.lab/up`. Emptied at the start. */
  readonly dir: string;
  /** `{ order: 0, inventory: 0 }` starts Redis and the database only; `scale` can add replicas later. */
  readonly replicas: ReplicaCounts;
  /** Servers on demand to start with; `provide` can add others later. */
  readonly components?: readonly Component[];
  /** Replicas that reach Redis through a wire of their own, which `cut` and `swallow` understand: `inventory-1`. */
  readonly wired?: readonly string[];
  /** Faults, history and reset are enabled, and the lab address exists. */
  readonly lab: boolean;
  /** Taken if free, otherwise another free port. */
  readonly preferredPorts?: { readonly public: number; readonly lab: number };
  /** `full` (default): a commit is on disk before it is answered; `relaxed`: within a second. */
  readonly durability?: Durability;
  /** What the replicas have in their environment beside the addresses of the servers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Main files of the apps, absolute; default: those of dist/. */
  readonly entries?: Readonly<Partial<Record<AppName, string>>>;
  /** Scripts run to their end before the first replica starts; default: the migrations of dist/. */
  readonly migrations?: readonly string[];
  /** Gives up starting: what runs already is stopped, and the start rejects with STACK.ABORTED. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (line: string) => void;
}

export type Durability = 'full' | 'relaxed';

export interface Urls {
  /** Buyers' address: shop endpoints only, faults cleared. */
  readonly public: string;
  /** Loopback address of faults, reset and history; absent when the lab is disabled. */
  readonly lab?: string;
  /** nginx's internal address of the inventory app. */
  readonly inventory: string;
  readonly redis: string;
  /** With user and password, without a schema: the schemas are `inventory`, `orders` and `accounts`. */
  readonly mysql: string;
  /** Of the servers on demand, as far as there are any. */
  readonly servers: ServerAddresses;
}

export interface Replica {
  /** e.g. `inventory-1`; also its X-Replica and the name of its log. */
  readonly name: string;
  readonly app: AppName;
  /** Its own loopback address, past nginx. */
  readonly url: string;
  /** 0 while it is down. */
  readonly pid: number;
  /** How often its process was started. */
  readonly starts: number;
  readonly state: 'up' | 'down' | 'paused';
}

/** What was true of servers and machine while a run was made. */
export type Conditions = Record<string, string | number | boolean>;

/**
 * Servers and replicas that are running. Every method rejects with a `StackError`.
 * A `name` is a replica's (`inventory-1`) or a server's (`redis`, `mysql`, `nginx`, `redis-3`, `primary`, `zookeeper` …).
 */
export interface Stack {
  readonly urls: Urls;
  /** Where replicas write history and the supervisor writes supervisor.jsonl. */
  readonly historyDir: string;

  replicas(): Promise<readonly Replica[]>;

  /**
   * Starts the servers on demand that are not there yet, and resolves with all addresses when they answer. Only
   * replicas that are started later know of them.
   */
  provide(components: readonly Component[]): Promise<Urls>;

  /** Resolves when `count` replicas of the app are ready and nginx sends requests to exactly these. */
  scale(app: AppName, count: number): Promise<void>;

  /**
   * SIGKILL; resolves when the process is gone. A replica killed, by anyone, is started again by the
   * supervisor; a server stays down until `restart`.
   */
  kill(name: string): Promise<void>;

  /** SIGSTOP; resolves when the process has stopped. */
  pause(name: string): Promise<void>;

  /** SIGCONT. */
  resume(name: string): Promise<void>;

  /** Resets the connections of a wired replica to Redis, and every new one, until `mend`. */
  cut(replica: string): Promise<void>;

  /** Swallows what a wired replica and Redis send each other, until `mend`: a black hole. */
  swallow(replica: string): Promise<void>;

  /** Redis is there again for the replica. */
  mend(replica: string): Promise<void>;

  /** nginx reads its configuration anew; resolves when its new worker serves and the old one takes no more requests. */
  reload(): Promise<void>;

  /** Orderly stop and start on the same address; resolves when it is ready. Starts what is down. */
  restart(name: string): Promise<void>;

  /** Resolves when every server is up and every replica answers GET /health/ready with 200; gives up after 30 s. */
  ready(): Promise<void>;

  conditions(): Promise<Conditions>;

  /** No process is left. May be called twice. */
  stop(): Promise<void>;
}

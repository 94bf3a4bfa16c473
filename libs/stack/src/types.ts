import type { Component, ServerAddresses } from '#lab/step';

/** The applications that run as replicas. */
export type AppName = 'order' | 'inventory' | 'account';

/** The servers that replicas use, by the names that kill, pause, resume and restart accept. */
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
  | `etcd-${number}`
  | 'gateway';

export interface ReplicaCounts {
  readonly order: number;
  readonly inventory: number;
  /** Default 0; `scale` adds them when they are needed. */
  readonly account?: number;
}

export interface StackOptions {
  /** Folder of this stack's data, logs, history and sockets, e.g. `.lab/up`; cleared at the start. */
  readonly dir: string;
  /** `{ order: 0, inventory: 0 }` starts only Redis and the database; `scale` adds replicas later. */
  readonly replicas: ReplicaCounts;
  /** Initial servers on demand; `provide` adds others later. */
  readonly components?: readonly Component[];
  /** Names of replicas (`inventory-1`) with a fault proxy to Redis, the ones that `cut` and `swallow` accept. */
  readonly wired?: readonly string[];
  /** Enables faults, history, reset and the lab address. */
  readonly lab: boolean;
  /** Used if they are free; otherwise other free ports. */
  readonly preferredPorts?: { readonly public: number; readonly lab: number };
  /** `full` (default): a commit is on disk before it is acknowledged; `relaxed`: within a second. */
  readonly durability?: Durability;
  /** Environment of the replicas in addition to the addresses of the servers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Absolute paths of the apps' main files; default: those in dist/. */
  readonly entries?: Readonly<Partial<Record<AppName, string>>>;
  /** Scripts to run before the first replica starts; default: the migrations in dist/. */
  readonly migrations?: readonly string[];
  /** Aborts the start: running processes are killed, and the start rejects with STACK.ABORTED. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (line: string) => void;
}

export type Durability = 'full' | 'relaxed';

export interface Urls {
  /** Address for buyers: shop endpoints only; nginx refuses a request with `x-fault`. */
  readonly public: string;
  /** Loopback address with faults, reset and history; absent when the lab is disabled. */
  readonly lab?: string;
  /** Internal address of the inventory app at nginx. */
  readonly inventory: string;
  readonly redis: string;
  /** With user and password, without a schema. The schemas are `inventory`, `orders` and `accounts`. */
  readonly mysql: string;
  /** Addresses of the servers on demand that were started. */
  readonly servers: ServerAddresses;
}

export interface Replica {
  /** e.g. `inventory-1`; also the value of its X-Replica header and the name of its log. */
  readonly name: string;
  readonly app: AppName;
  /** Its own loopback address, which bypasses nginx. */
  readonly url: string;
  /** 0 while the replica is down. */
  readonly pid: number;
  /** Number of process starts. */
  readonly starts: number;
  readonly state: 'up' | 'down' | 'paused';
}

/** Versions and settings of the servers and the machine of a run. */
export type Conditions = Record<string, string | number | boolean>;

/**
 * Servers and replicas that are running. Every method rejects with a `StackError`.
 * A `name` is a replica's (`inventory-1`) or a server's (`redis`, `mysql`, `nginx`, `redis-3`, `primary`, `zookeeper` …).
 */
export interface Stack {
  readonly urls: Urls;
  /** Folder of the replicas' history and of supervisor.jsonl. */
  readonly historyDir: string;

  replicas(): Promise<readonly Replica[]>;

  /**
   * Starts the servers on demand that are not running yet, and resolves with all addresses when they answer. Only replicas
   * that are started later receive these addresses.
   */
  provide(components: readonly Component[]): Promise<Urls>;

  /** Resolves when `count` replicas of the app are ready and nginx sends requests to these only. */
  scale(app: AppName, count: number): Promise<void>;

  /**
   * SIGKILL; resolves when the process has exited. The supervisor restarts a killed replica; a server stays down until
   * `restart`.
   */
  kill(name: string): Promise<void>;

  /** SIGSTOP; resolves when the process has stopped. */
  pause(name: string): Promise<void>;

  resume(name: string): Promise<void>;

  /** Resets the connections between a wired replica and Redis, and every new one, until `mend`. */
  cut(replica: string): Promise<void>;

  /** Drops all data between a wired replica and Redis, until `mend`: a black hole. */
  swallow(replica: string): Promise<void>;

  /** Ends `cut` or `swallow`. */
  mend(replica: string): Promise<void>;

  /** Reloads nginx's configuration; resolves when the new worker serves and the old one accepts no more requests. */
  reload(): Promise<void>;

  /** Stops the process if it is up, and starts it on the same address; resolves when it is ready. */
  restart(name: string): Promise<void>;

  /** Resolves when every server is up and every replica answers GET /health/ready with 200; rejects after 30 s. */
  ready(): Promise<void>;

  conditions(): Promise<Conditions>;

  /** Resolves when no process is left. May be called twice. */
  stop(): Promise<void>;
}

import { createClient, CreateMode, Event, Exception, State, type Client } from 'node-zookeeper-client';
import {
  CHECKS_QUEUE,
  DependencyDown,
  dropped,
  INSPECTS,
  JOINS_QUEUE,
  SessionLost,
  step,
  whenTrue,
  type LockCommand,
  type Step,
} from '../seam';
import { answered } from './answered';

export interface SteppedZooKeeperOptions {
  /**
   * `host:port[,host:port…][/root]`: members of one ensemble; all nodes are below the root, which is created if needed.
   */
  readonly address: string;
  /** The requested session timeout, milliseconds. The server may grant another. */
  readonly sessionMs?: number;
  /** Milliseconds without a reply after which a call fails as `DependencyDown`. */
  readonly timeoutMs?: number;
}

/** An existing node. */
export interface ZooKeeperNode {
  readonly content: string;
  /**
   * Id of the transaction that created it: grows with every change of the server, so that it can serve as a fencing
   * token.
   */
  readonly czxid: number;
  /** The session whose end deletes the node; absent: the node is persistent. */
  readonly session?: string;
}

type Callback<T> = (error: Error | Exception | null, result: T) => void;

/** Heartbeats per session timeout. They are our own: the client does not notice when its own pings get no reply. */
const HEARTBEATS = 4;
const RECONNECT_MS = 200;

/**
 * A process's ZooKeeper client: one session for all requests, replaced when it ends. Four things differ from
 * node-zookeeper-client: calls are not queued while the server is unreachable (they would run after their caller has given
 * up), a call without a reply fails after `timeoutMs`, the end of the session is known from our own clock, and a silent
 * member of an ensemble is replaced by the next one while the session lasts.
 */
export class SteppedZooKeeper {
  private readonly server: string;
  private readonly members: number;
  private readonly root: string;
  /** The requested session timeout, milliseconds. */
  readonly sessionMs: number;
  private readonly timeoutMs: number;
  private client: Client;
  private current: ZooKeeperSession;
  private heartbeatTimer: NodeJS.Timeout | undefined;
  private sessionTimer: NodeJS.Timeout | undefined;
  private silenceTimer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor({ address, sessionMs = 2000, timeoutMs = 800 }: SteppedZooKeeperOptions) {
    const [server = '', ...path] = address.split('/');
    this.server = server;
    this.members = server.split(',').length;
    this.root = path.map((name) => `/${name}`).join('');
    this.sessionMs = sessionMs;
    this.timeoutMs = timeoutMs;
    this.client = this.newClient();
    this.current = this.newSession();
  }

  /** The current session. A caller keeps it for as long as it relies on nodes that it created in it. */
  get session(): ZooKeeperSession {
    return this.current;
  }

  /**
   * Resolves when there is a session; rejects with `DependencyDown` after the timeout, and keeps trying in the
   * background.
   */
  async connect(): Promise<void> {
    const { client } = this;
    const connected = this.connected(client);
    this.begin(client);
    await answered('zookeeper', 'a session', this.timeoutMs, connected);
  }

  disconnect(): void {
    this.closed = true;
    this.drop();
  }

  /** Replaces the session and aborts the signal `lost` of the old one. */
  endSession(): void {
    const { current } = this;
    this.current = this.newSession();
    current.end();
  }

  private newSession(): ZooKeeperSession {
    return new ZooKeeperSession(this.client, this.root, this.timeoutMs);
  }

  private newClient(): Client {
    const client = createClient(this.server, {
      sessionTimeout: this.sessionMs,
      spinDelay: RECONNECT_MS,
      retries: 0,
    });
    client.on('connected', () => {
      if (client !== this.client) return;
      this.disconnectAfter(client.getSessionTimeout() / 2);
      this.sendHeartbeat();
      clearInterval(this.heartbeatTimer);
      this.heartbeatTimer = setInterval(() => {
        this.sendHeartbeat();
      }, client.getSessionTimeout() / HEARTBEATS).unref();
      if (this.root !== '') client.mkdirp(this.root, () => undefined);
    });
    client.on('disconnected', () => {
      internals(client).pendingBuffer = null; // drop half a reply of the old connection
      if (client === this.client) this.disconnectAfter(RECONNECT_MS + this.sessionMs / (2 * this.members));
    });
    client.on('expired', () => {
      if (client === this.client) this.renew();
    });
    return client;
  }

  private connected(client: Client): Promise<void> {
    return new Promise((resolve) => {
      client.once('connected', () => {
        if (this.root === '') resolve();
        else
          client.mkdirp(this.root, () => {
            resolve();
          });
      });
    });
  }

  /**
   * The session timeout counts from the sending of the last answered heartbeat: we never assume more than the server
   * grants.
   */
  private sendHeartbeat(): void {
    const { client } = this;
    const sent = performance.now();
    client.exists('/', (error) => {
      if (error instanceof Error || client !== this.client || this.closed) return;
      this.disconnectAfter(client.getSessionTimeout() / 2);
      clearTimeout(this.sessionTimer);
      this.sessionTimer = setTimeout(
        () => {
          if (client === this.client) this.renew();
        },
        Math.max(0, sent + client.getSessionTimeout() - performance.now()),
      ).unref();
    });
  }

  /** Replaces the client and its session, which has ended or may have. */
  private renew(): void {
    this.drop();
    if (this.closed) return;
    this.client = this.newClient();
    this.begin(this.client);
    this.endSession();
  }

  /** The library waits forever for the reply to its connect request: a client without a session in time is replaced. */
  private begin(client: Client): void {
    client.connect();
    this.disconnectAfter(this.sessionMs / (2 * this.members));
    clearTimeout(this.sessionTimer);
    this.sessionTimer = setTimeout(() => {
      if (client === this.client) this.renew();
    }, this.sessionMs).unref();
  }

  /**
   * Closes the connection to a member that stays silent for `ms`: the client connects to the next, with the same
   * session.
   */
  private disconnectAfter(ms: number): void {
    clearTimeout(this.silenceTimer);
    if (this.members === 1 || this.closed) return;
    const { client } = this;
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (this.silenceTimer === timer) internals(client).socket?.destroy(); // not when a reply was just read
      });
    }, ms).unref();
    this.silenceTimer = timer;
  }

  private drop(): void {
    const { client } = this;
    clearInterval(this.heartbeatTimer);
    clearTimeout(this.silenceTimer);
    clearTimeout(this.sessionTimer);
    if (client.getState() !== State.SYNC_CONNECTED) abandon(client);
    else {
      client.close();
      setTimeout(() => {
        abandon(client);
      }, this.timeoutMs).unref();
    }
  }
}

/**
 * A session at ZooKeeper, and the calls in it. Its end deletes its nodes. Every later call throws `SessionLost`, so that it
 * cannot affect nodes that another client has created since.
 */
export class ZooKeeperSession {
  private readonly ending = new AbortController();
  private refused = false;

  constructor(
    private readonly client: Client,
    private readonly root: string,
    private readonly timeoutMs: number,
  ) {}

  /** Aborted with `SessionLost` when this process knows that the session has ended. */
  get lost(): AbortSignal {
    return this.ending.signal;
  }

  get id(): string {
    return this.client.getSessionId().toString('hex');
  }

  /**
   * Creates an ephemeral sequential node: its name ends in a number that grows from node to node. Creates its folder if
   * needed. Returns its path.
   */
  createNumbered(path: string, content: string): Promise<string> {
    const send = (done: Callback<string>): void => {
      this.make(path, content, CreateMode.EPHEMERAL_SEQUENTIAL, done);
    };
    return this.call('CREATE', `${withoutNumber(path)} ${content}`, path, send, JOINS_QUEUE);
  }

  /** Creates an ephemeral node. False when the node exists. */
  async create(path: string, content: string): Promise<boolean> {
    const send = (done: Callback<boolean>): void => {
      this.make(path, content, CreateMode.EPHEMERAL, (error) => {
        if (isCode(error, Exception.NODE_EXISTS)) done(null, false);
        else done(error, true);
      });
    };
    return this.call('CREATE', `${path} ${content}`, path, send, whenTrue('acquire'));
  }

  /** The names of the nodes in a folder, in the order of their numbers; empty when the folder does not exist. */
  children(path: string): Promise<string[]> {
    const send = (done: Callback<string[]>): void => {
      this.list(path, done);
    };
    return this.call('CHILDREN', path, path, send, INSPECTS);
  }

  /**
   * The node with the next lower number than ours; undefined: ours is the first. Throws `SessionLost` when ours is
   * gone.
   */
  predecessor(path: string): Promise<string | undefined> {
    const folder = path.slice(0, path.lastIndexOf('/'));
    const send = (done: Callback<string | undefined>): void => {
      this.list(folder, (error, names) => {
        const at = names.map((name) => `${folder}/${name}`).indexOf(path);
        if (error === null && at < 0) done(new SessionLost('zookeeper'), undefined);
        else done(error, at > 0 ? `${folder}/${names[at - 1] ?? ''}` : undefined);
      });
    };
    return this.call('CHILDREN', folder, path, send, CHECKS_QUEUE);
  }

  /** The node; undefined when it does not exist. */
  get(path: string): Promise<ZooKeeperNode | undefined> {
    return this.call<ZooKeeperNode | undefined>('GET', withoutNumber(path), path, (done) => {
      this.client.getData(this.at(path), (error, content, stat) => {
        if (isCode(error, Exception.NO_NODE)) done(null, undefined);
        else done(error, error ? undefined : readNode(content, stat));
      });
    });
  }

  /** Deletes the node. False when it does not exist. */
  remove(path: string): Promise<boolean> {
    const send = (done: Callback<boolean>): void => {
      this.client.remove(this.at(path), (error) => {
        if (isCode(error, Exception.NO_NODE)) done(null, false);
        else done(error, true);
      });
    };
    return this.call('DELETE', withoutNumber(path), path, send, whenTrue('release'));
  }

  /** Resolves when the node is deleted, the session has ended, or `signal` is aborted. */
  async removed(path: string, signal: AbortSignal): Promise<void> {
    const deleted = new AbortController();
    const ended = AbortSignal.any([signal, this.lost, deleted.signal]);
    const end = new Promise<void>((resolve) => {
      ended.addEventListener('abort', () => {
        resolve();
      });
    });
    // getData, not exists: on a missing node, exists would leave a watch behind
    const watch = (): Promise<boolean> =>
      this.call<boolean>('WATCH', withoutNumber(path), path, (done) => {
        const watcher = (event: Event): void => {
          if (event.getType() === Event.NODE_DELETED) deleted.abort();
          else if (!ended.aborted) void watch().catch(dropped('the renewal of a watch of ZooKeeper'));
        };
        this.client.getData(this.at(path), watcher, (error) => {
          if (isCode(error, Exception.NO_NODE)) done(null, false);
          else done(error, true);
        });
      });
    if (!(await watch())) return;
    await end;
  }

  /**
   * Rejects all further calls, without aborting `lost`: the server has ended the session, and its owner may not know
   * yet.
   */
  refuse(): void {
    this.refused = true;
  }

  /** Rejects all further calls and aborts `lost`. */
  end(): void {
    this.refused = true;
    this.ending.abort(new SessionLost('zookeeper'));
  }

  private make(path: string, content: string, mode: number, done: Callback<string>): void {
    const { client } = this;
    const create = (then: Callback<string>): void => {
      client.create(this.at(path), Buffer.from(content), mode, (error, created) => {
        then(error, (created as string | undefined)?.slice(this.root.length) ?? '');
      });
    };
    create((error, created) => {
      if (!isCode(error, Exception.NO_NODE)) done(error, created);
      else
        client.mkdirp(this.at(path.slice(0, path.lastIndexOf('/'))), (failed) => {
          if (failed) done(failed, '');
          else create(done);
        });
    });
  }

  private list(path: string, done: Callback<string[]>): void {
    this.client.getChildren(this.at(path), (error, names) => {
      if (isCode(error, Exception.NO_NODE)) done(null, []);
      else done(error, error ? [] : names.sort((a, b) => (numberOf(a) < numberOf(b) ? -1 : 1)));
    });
  }

  private at(path: string): string {
    return `${this.root}${path}`.replace(/(.)\/$/, '$1');
  }

  /**
   * Makes one call as one step. Its position in the server's own order is the id of the last transaction before its
   * reply.
   */
  private call<T>(
    verb: string,
    about: string,
    path: string,
    send: (done: Callback<T>) => void,
    lock?: LockCommand,
  ): Promise<T> {
    return step(
      () => ({
        kind: 'zk',
        verb,
        text: `${verb} ${about}`,
        key: path.split('/')[1] ?? path,
        ...(lock !== undefined && { lock }),
      }),
      (current) => answered('zookeeper', verb, this.timeoutMs, this.send(send, current)),
    );
  }

  private send<T>(send: (done: Callback<T>) => void, current?: Step): Promise<T> {
    const { client } = this;
    return new Promise((resolve, reject) => {
      if (this.refused) {
        reject(new SessionLost('zookeeper'));
        return;
      }
      if (client.getState() !== State.SYNC_CONNECTED) {
        reject(new DependencyDown('zookeeper', 'ZooKeeper is not reachable'));
        return;
      }
      send((error, result) => {
        if (isLoss(error)) {
          reject(new DependencyDown('zookeeper', 'the connection to ZooKeeper was lost', { cause: error }));
          return;
        }
        if (current !== undefined) current.order = lastTransaction(client);
        if (error) reject(error instanceof Error ? error : new Error(error.toString()));
        else resolve(result);
      });
    });
  }
}

/** The number of a sequential node: the last ten digits of its name. */
const numberOf = (name: string): string => name.slice(-10);
const withoutNumber = (path: string): string => path.replace(/-\d{10}$/, '');

const isCode = (error: unknown, code: number): boolean =>
  error instanceof Exception && error.getCode() === code;

const isLoss = (error: unknown): boolean =>
  isCode(error, Exception.CONNECTION_LOSS) || isCode(error, Exception.SESSION_EXPIRED);

/** @param content Undefined when the node was created without one. */
function readNode(
  content: Buffer | undefined,
  stat: { czxid: Buffer; ephemeralOwner: Buffer },
): ZooKeeperNode {
  const session = stat.ephemeralOwner.toString('hex');
  return {
    content: content?.toString() ?? '',
    czxid: Number(stat.czxid.readBigInt64BE()),
    ...(/[1-9a-f]/.test(session) && { session }),
  };
}

/** Private parts of the client that are used here. */
interface ClientInternals {
  readonly connectionManager: {
    readonly zxid: Buffer;
    pendingBuffer: Buffer | null;
    readonly socket?: { destroy(): void };
    connect: () => void;
  };
}

const internals = (client: Client): ClientInternals['connectionManager'] =>
  (client as unknown as ClientInternals).connectionManager;

/** During a reply's callback: the id of the transaction that it made or, for a read, of the last one before it. */
const lastTransaction = (client: Client): number => Number(internals(client).zxid.readBigInt64BE());

/** Without this, a client that is closed while it has no connection would reconnect forever. */
function abandon(client: Client): void {
  const manager = internals(client);
  manager.connect = () => undefined;
  manager.socket?.destroy();
  setTimeout(() => manager.socket?.destroy(), 2 * RECONNECT_MS).unref(); // a socket that was about to be opened
}

import { createClient, CreateMode, Event, Exception, State, type Client } from 'node-zookeeper-client';
import { DependencyDown, SessionLost } from '../seam';
import { step, type Step } from '../seam';
import { answered } from './answered';

export interface SteppedZooKeeperOptions {
  /** `host:port[,host:port…][/root]`: members of one ensemble; all nodes live below the root, which is made if need be. */
  readonly address: string;
  /** How long the server keeps our nodes without hearing of us, milliseconds. It may grant another time. */
  readonly sessionMs?: number;
  /** Milliseconds without a reply after which a call fails as `DependencyDown`. */
  readonly timeoutMs?: number;
}

/** A node that exists. */
export interface ZooKeeperNode {
  readonly content: string;
  /** Number of the transaction that made it: grows for ever, whoever makes the node. A fencing token. */
  readonly czxid: number;
  /** The session that it lives and dies with; absent: it stays. */
  readonly session?: string;
}

type Callback<T> = (error: Error | Exception | null, result: T) => void;

/** Heartbeats in a session's time: more than the client's own, whose missing answers it does not notice. */
const BEATS = 4;
const RECONNECT_MS = 200;

/**
 * ZooKeeper as a process uses it: one session for all its requests, and after its end another one. Four things differ from
 * node-zookeeper-client: nothing is queued while the server is away (it would be carried out when nobody waits for it any
 * more), a call without a reply fails after `timeoutMs`, the end of the session is known from our own clock, and of an
 * ensemble a member that is silent is left for the next one while the session lasts.
 */
export class SteppedZooKeeper {
  private readonly server: string;
  private readonly members: number;
  private readonly root: string;
  /** How long the server is asked to keep our nodes without hearing of us, milliseconds. */
  readonly sessionMs: number;
  private readonly timeoutMs: number;
  private client: Client;
  private current: ZooKeeperSession;
  private heart: NodeJS.Timeout | undefined;
  private deadline: NodeJS.Timeout | undefined;
  private silence: NodeJS.Timeout | undefined;
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

  /** The session as it is now: keep it for as long as you rely on what you have made in it. */
  get session(): ZooKeeperSession {
    return this.current;
  }

  /** Resolves when there is a session; rejects with `DependencyDown` when there is none in time, and goes on trying. */
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

  /** Tells everybody who relies on the session that it is over; from here on there is another one. */
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
      this.leaveAfter(client.getSessionTimeout() / 2);
      this.beat();
      clearInterval(this.heart);
      this.heart = setInterval(() => {
        this.beat();
      }, client.getSessionTimeout() / BEATS).unref();
      if (this.root !== '') client.mkdirp(this.root, () => undefined);
    });
    client.on('disconnected', () => {
      inside(client).pendingBuffer = null; // half a reply of the old connection is not the beginning of the new one's
      if (client === this.client) this.leaveAfter(RECONNECT_MS + this.sessionMs / (2 * this.members));
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

  /** The session lasts from before the last heartbeat that was answered: never longer than the server thinks. */
  private beat(): void {
    const { client } = this;
    const sent = performance.now();
    client.exists('/', (error) => {
      if (error instanceof Error || client !== this.client || this.closed) return;
      this.leaveAfter(client.getSessionTimeout() / 2);
      clearTimeout(this.deadline);
      this.deadline = setTimeout(
        () => {
          if (client === this.client) this.renew();
        },
        Math.max(0, sent + client.getSessionTimeout() - performance.now()),
      ).unref();
    });
  }

  /** The session has ended, or will before we could know: another one. */
  private renew(): void {
    this.drop();
    if (this.closed) return;
    this.client = this.newClient();
    this.begin(this.client);
    this.endSession();
  }

  /** The client waits for ever for an answer to its greeting: one that has no session in time is replaced. */
  private begin(client: Client): void {
    client.connect();
    this.leaveAfter(this.sessionMs / (2 * this.members));
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => {
      if (client === this.client) this.renew();
    }, this.sessionMs).unref();
  }

  /** A member that has not been heard of for `ms` from now on is left: the client goes to the next, with the same session. */
  private leaveAfter(ms: number): void {
    clearTimeout(this.silence);
    if (this.members === 1 || this.closed) return;
    const { client } = this;
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (this.silence === timer) inside(client).socket?.destroy(); // not when its answer was only waiting to be read
      });
    }, ms).unref();
    this.silence = timer;
  }

  private drop(): void {
    const { client } = this;
    clearInterval(this.heart);
    clearTimeout(this.silence);
    clearTimeout(this.deadline);
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
 * A session at ZooKeeper, and the calls in it. What was made in it goes with it; after its end every call throws
 * `SessionLost`: none of them reaches what somebody else has made since.
 */
export class ZooKeeperSession {
  private readonly ending = new AbortController();
  private refused = false;

  constructor(
    private readonly client: Client,
    private readonly root: string,
    private readonly timeoutMs: number,
  ) {}

  /** Aborted, with `SessionLost`, when the session has ended as far as we know. */
  get lost(): AbortSignal {
    return this.ending.signal;
  }

  get id(): string {
    return this.client.getSessionId().toString('hex');
  }

  /**
   * Makes a node that lives as long as the session, with a number behind its name that grows from node to node. Makes the
   * folder above it if need be. Returns its path.
   */
  createNumbered(path: string, content: string): Promise<string> {
    return this.call<string>('CREATE', `${withoutNumber(path)} ${content}`, path, (done) => {
      this.make(path, content, CreateMode.EPHEMERAL_SEQUENTIAL, done);
    });
  }

  /** Makes a node that lives as long as the session. False when there is one already. */
  async create(path: string, content: string): Promise<boolean> {
    return this.call<boolean>('CREATE', `${path} ${content}`, path, (done) => {
      this.make(path, content, CreateMode.EPHEMERAL, (error) => {
        if (isCode(error, Exception.NODE_EXISTS)) done(null, false);
        else done(error, true);
      });
    });
  }

  /** The names of the nodes in a folder, in the order of their numbers; none where there is no folder. */
  children(path: string): Promise<string[]> {
    return this.call<string[]>('CHILDREN', path, path, (done) => {
      this.list(path, done);
    });
  }

  /** The node whose number comes before that of ours; undefined: ours is the first. Throws `SessionLost` when ours is gone. */
  predecessor(path: string): Promise<string | undefined> {
    const folder = path.slice(0, path.lastIndexOf('/'));
    return this.call<string | undefined>('CHILDREN', folder, path, (done) => {
      this.list(folder, (error, names) => {
        const at = names.map((name) => `${folder}/${name}`).indexOf(path);
        if (error === null && at < 0) done(new SessionLost('zookeeper'), undefined);
        else done(error, at > 0 ? `${folder}/${names[at - 1] ?? ''}` : undefined);
      });
    });
  }

  /** The node; undefined when there is none. */
  get(path: string): Promise<ZooKeeperNode | undefined> {
    return this.call<ZooKeeperNode | undefined>('GET', withoutNumber(path), path, (done) => {
      this.client.getData(this.at(path), (error, content, stat) => {
        if (isCode(error, Exception.NO_NODE)) done(null, undefined);
        else done(error, error ? undefined : readNode(content, stat));
      });
    });
  }

  /** Deletes the node. False when there is none. */
  remove(path: string): Promise<boolean> {
    return this.call<boolean>('DELETE', withoutNumber(path), path, (done) => {
      this.client.remove(this.at(path), (error) => {
        if (isCode(error, Exception.NO_NODE)) done(null, false);
        else done(error, true);
      });
    });
  }

  /** Resolves when the node is gone, or our session is, or `signal` is aborted. */
  async removed(path: string, signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const over = AbortSignal.any([signal, this.lost, end.signal]);
    const gone = new Promise<void>((resolve) => {
      over.addEventListener('abort', () => {
        resolve();
      });
    });
    // a look at the content, not at the existence: the latter would leave a watch behind where there is no node any more
    const watch = (): Promise<boolean> =>
      this.call<boolean>('WATCH', withoutNumber(path), path, (done) => {
        const watcher = (event: Event): void => {
          if (event.getType() === Event.NODE_DELETED) end.abort();
          else if (!over.aborted) void watch().catch(() => undefined);
        };
        this.client.getData(this.at(path), watcher, (error) => {
          if (isCode(error, Exception.NO_NODE)) done(null, false);
          else done(error, true);
        });
      });
    if (!(await watch())) return;
    await gone;
  }

  /** The server has ended it, and its owner need not know yet. */
  refuse(): void {
    this.refused = true;
  }

  /** It has ended: everybody who relies on it is told. */
  end(): void {
    this.refused = true;
    this.ending.abort(new SessionLost('zookeeper'));
  }

  private make(path: string, content: string, mode: number, done: Callback<string>): void {
    const { client } = this;
    const create = (then: Callback<string>): void => {
      client.create(this.at(path), Buffer.from(content), mode, (error, made) => {
        then(error, (made as string | undefined)?.slice(this.root.length) ?? '');
      });
    };
    create((error, made) => {
      if (!isCode(error, Exception.NO_NODE)) done(error, made);
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

  /** One call, one step. Its place in the server's own order is the number of the last transaction before its reply. */
  private call<T>(verb: string, about: string, path: string, send: (done: Callback<T>) => void): Promise<T> {
    return step(
      () => ({ kind: 'zk', verb, text: `${verb} ${about}`, key: path.split('/')[1] ?? path }),
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

/** A node's number without the node: the server hands out ten digits. */
const numberOf = (name: string): string => name.slice(-10);
const withoutNumber = (path: string): string => path.replace(/-\d{10}$/, '');

const isCode = (error: unknown, code: number): boolean =>
  error instanceof Exception && error.getCode() === code;

const isLoss = (error: unknown): boolean =>
  isCode(error, Exception.CONNECTION_LOSS) || isCode(error, Exception.SESSION_EXPIRED);

/** @param content Absent where the node was made without one. */
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

/** What the client keeps to itself. */
interface Inside {
  readonly connectionManager: {
    readonly zxid: Buffer;
    pendingBuffer: Buffer | null;
    readonly socket?: { destroy(): void };
    connect: () => void;
  };
}

const inside = (client: Client): Inside['connectionManager'] =>
  (client as unknown as Inside).connectionManager;

/** At the moment of a reply: the transaction that it made, or, where it only read, the last one before it. */
const lastTransaction = (client: Client): number => Number(inside(client).zxid.readBigInt64BE());

/** A client that is closed while it has no connection would go on connecting for ever. */
function abandon(client: Client): void {
  const manager = inside(client);
  manager.connect = () => undefined;
  manager.socket?.destroy();
  setTimeout(() => manager.socket?.destroy(), 2 * RECONNECT_MS).unref(); // one that was about to be opened
}

import { Command, type Redis } from 'ioredis';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Writable } from 'node:stream';
import { currentScope, step, unobserved, type Blocking, type Step, type StepInfo } from '../seam';
import { whyNotScript } from './not-in-schedules';
import { noteObserved } from './observed-sockets';
import { instrumentPipelines, OpenTransaction } from './pipelines';
import { describe, nameOf, nameScript } from './redis-command';

type Listener = (...args: unknown[]) => void;

/** An ioredis client of a user. */
export interface InstrumentedRedis {
  /** The port of its server, and the number of its database. Port undefined: it is not known before it connects. */
  readonly database: { readonly port: number | undefined; readonly db: number };
  /** It has subscribed to channels. */
  readonly isSubscribed: boolean;
  /** It, or a copy of it, opens its connection: code may wait for that without a step. */
  readonly isConnecting: boolean;
  /** Resolves when it has received all messages that were published before this call. */
  receiveMessages(): Promise<void>;
  /** Removes the connection state that a schedule has left: subscriptions, WATCH, MULTI, listeners, copies, the end of the connection. */
  reset(): Promise<void>;
  disconnectCopies(): void;
}

/** Commands that wait in the server, and where their timeout is; `BLOCK` is the option of streams. */
const TIMEOUT_AT: Readonly<Record<string, 'first' | 'last' | 'BLOCK'>> = {
  blpop: 'last',
  brpop: 'last',
  brpoplpush: 'last',
  blmove: 'last',
  bzpopmin: 'last',
  bzpopmax: 'last',
  blmpop: 'first',
  bzmpop: 'first',
  xread: 'BLOCK',
  xreadgroup: 'BLOCK',
};

/**
 * Commands after which `evalBehind` sends no script: the connection would queue or refuse it, or run it in another database, or
 * the command may change keys and then fail.
 */
const HAS_NONE_BEHIND: ReadonlySet<string> = new Set([
  ...['multi', 'exec', 'watch', 'select', 'auth', 'hello', 'client', 'reset', 'quit', 'monitor', 'script'],
  ...['subscribe', 'unsubscribe', 'psubscribe', 'punsubscribe', 'ssubscribe', 'sunsubscribe'],
  ...['eval', 'evalsha', 'fcall', 'call'],
]);

/** Methods of an event emitter that add a listener. */
const ADDS = ['on', 'addListener', 'once'] as const;

/**
 * Makes every command of an ioredis client pass the seam. A command that waits in the server has no timeout there: the schedule
 * ends its wait.
 */
export function instrumentRedis(redis: Redis): InstrumentedRedis {
  const known = instrumented.get(redis);
  if (known !== undefined) return known;
  const own = new Instrumentation(redis);
  instrumented.set(redis, own);
  return own;
}

const instrumented = new WeakMap<Redis, Instrumentation>();

class Instrumentation implements InstrumentedRedis {
  private readonly copies = new Set<Instrumentation>();
  private listeners: (() => void)[] = [];
  private readonly transaction = new OpenTransaction();
  /** The step whose command waits in the server: every later reply comes after its own. */
  private waiting: Step | undefined;
  private readonly send: Redis['sendCommand'];
  /** Its code has ended the connection. The client forgets its subscriptions only when the socket has closed. */
  private isClosing = false;
  /** While the connection begins, and a command waits for it. */
  private beginning: Promise<void> | undefined;

  constructor(private readonly redis: Redis) {
    const duplicate = redis.duplicate.bind(redis);
    const defineCommand = redis.defineCommand.bind(redis);
    const send = (this.send = redis.sendCommand.bind(redis));
    redis.options.enableAutoPipelining = false; // it would merge commands into one pipeline, which hides them from the seam
    redis.sendCommand = (command, stream) =>
      stream !== undefined || currentScope() === undefined
        ? send(command, stream)
        : step(
            () => describeOwn(command, redis.options.db ?? 0),
            (current) => this.issue(command, current),
          );
    instrumentPipelines({
      redis,
      transaction: this.transaction,
      issue: (exec, current) => {
        this.noteOrder(current);
        return exec();
      },
    });
    // the commands with which a connection begins are no steps; then it sends those that have waited for it
    const connect = redis.connect.bind(redis);
    redis.connect = (callback) => {
      this.isClosing = false;
      return unobserved(() => connect(callback));
    };
    const disconnect = redis.disconnect.bind(redis);
    redis.disconnect = (...args) => {
      this.isClosing = true;
      disconnect(...args);
    };
    redis.duplicate = (override) => {
      const copy = unobserved(() => duplicate(override));
      const own = new Instrumentation(copy);
      instrumented.set(copy, own);
      this.copies.add(own);
      copy.once('end', () => this.copies.delete(own));
      return copy;
    };
    redis.defineCommand = (name, definition) => {
      defineCommand(name, definition);
      this.nameScripts();
    };
    this.nameScripts();
    const noteSocket = (): void => {
      const { stream } = redis as { readonly stream?: object };
      if (stream !== undefined) noteObserved(stream);
    };
    noteSocket();
    redis.on('connect', noteSocket);
    for (const method of ADDS) this.bindListeners(method);
  }

  get database(): InstrumentedRedis['database'] {
    const { port, path, sentinels, db = 0 } = this.redis.options;
    return { port: path == null && sentinels == null ? port : undefined, db };
  }

  get isSubscribed(): boolean {
    return this.isSubscriber || [...this.copies].some((copy) => copy.isSubscribed);
  }

  get isConnecting(): boolean {
    const { status } = this.redis;
    return (
      status === 'connecting' || status === 'connect' || [...this.copies].some((copy) => copy.isConnecting)
    );
  }

  async receiveMessages(): Promise<void> {
    if (this.isSubscriber) await this.redis.ping();
    await Promise.all([...this.copies].map((copy) => copy.receiveMessages()));
  }

  async reset(): Promise<void> {
    for (const remove of this.listeners.splice(0)) remove();
    this.disconnectCopies();
    if (this.redis.status === 'end') await this.redis.connect(); // its code has ended it
    await this.transaction.end(this.redis);
    if (!this.isSubscriber) return;
    await this.redis.unsubscribe();
    await this.redis.punsubscribe();
  }

  /** Ends the connections that the code has opened with `duplicate`. */
  disconnectCopies(): void {
    for (const copy of this.copies) {
      copy.disconnectCopies();
      copy.redis.disconnect();
    }
    this.copies.clear(); // not when they have ended: until then they would count as subscribed in the next schedule
  }

  /** A connection in subscriber mode. */
  private get isSubscriber(): boolean {
    const { condition } = this.redis as unknown as { condition?: { subscriber: unknown } };
    return Boolean(condition?.subscriber) && !this.isClosing;
  }

  /** While a connection begins, ioredis sends some commands at once: SUBSCRIBE would come before its INFO, and make it fail. */
  private issue(command: Command, current: Step | undefined): Promise<unknown> {
    return /^(connecting|connect|reconnecting)$/.test(this.redis.status)
      ? this.begun().then(() => this.issueNow(command, current))
      : this.issueNow(command, current);
  }

  /** Resolves when the connection can be used, or has ended: one promise for all commands that wait for it. */
  private begun(): Promise<void> {
    this.beginning ??= unobserved(() =>
      new Promise<void>((resolve) => {
        for (const event of ['ready', 'end']) this.redis.once(event, resolve);
      }).finally(() => (this.beginning = undefined)),
    );
    return this.beginning;
  }

  private issueNow(command: Command, current: Step | undefined): Promise<unknown> {
    const { send } = this;
    const name = nameOf(command);
    this.transaction.note(command);
    if (name === 'quit') this.isClosing = true;
    this.noteOrder(current);
    const { blocking } = current ?? {};
    if (blocking === undefined) {
      if (!HAS_NONE_BEHIND.has(name)) this.allowBehind(current);
      return send(command) as Promise<unknown>;
    }
    setTimeoutOf(command, '0');
    const id = send(new Command('client', ['ID'])) as Promise<number>;
    void id.then((client) => (blocking.client = client));
    this.waiting = current;
    return (send(command) as Promise<unknown>).finally(() => {
      if (this.waiting === current) this.waiting = undefined;
    });
  }

  /**
   * Sets `evalBehind`, except where the connection would queue the script (MULTI), refuse it (subscriber mode), delay it (a
   * blocking command) or run it in another database, and except during WATCH.
   */
  private allowBehind(current: Step | undefined): void {
    const { redis, send, transaction } = this;
    const { condition } = redis as unknown as { condition?: { readonly select: number } };
    const isFree =
      !transaction.isInMulti && !transaction.isWatching && !this.isSubscriber && this.waiting === undefined;
    if (current === undefined || !isFree || redis.status !== 'ready') return;
    if (condition?.select !== (redis.options.db ?? 0)) return;
    cork(redis);
    current.evalBehind = (script, ...args) =>
      send(new Command('eval', [script, 0, ...args], { replyEncoding: 'utf8' })) as Promise<unknown>;
  }

  private noteOrder(current: Step | undefined): void {
    if (current !== undefined && this.waiting !== undefined) current.behind = this.waiting;
  }

  /** A listener runs in the scope of the code that has added it, and is removed with its schedule. */
  private bindListeners(method: (typeof ADDS)[number]): void {
    const { redis } = this;
    const add = redis[method].bind(redis) as (event: string, listener: Listener) => Redis;
    redis[method] = ((event: string, listener: Listener): Redis => {
      if (currentScope() === undefined) return add(event, listener);
      const bound = Object.assign(AsyncLocalStorage.bind(listener), { listener }); // `off` finds it by this property
      this.listeners.push(() => redis.off(event, bound));
      return add(event, bound);
    }) as Redis[typeof method];
  }

  private nameScripts(): void {
    const { scriptsSet } = this.redis as unknown as {
      scriptsSet: Record<string, { sha: string; lua: string }>;
    };
    for (const [name, { sha, lua }] of Object.entries(scriptsSet))
      nameScript(sha, { name, refused: whyNotScript(lua) });
  }
}

/** Sends the commands of this turn of the event loop in one packet. */
function cork({ stream }: { readonly stream?: Pick<Writable, 'cork' | 'uncork'> }): void {
  if (stream === undefined) return;
  stream.cork();
  process.nextTick(() => {
    stream.uncork();
  });
}

/** `db`: the database of its client. */
function describeOwn(command: Command, db: number): StepInfo {
  const blocking = blockingOf(command);
  const { refused, ...info } = describe(command);
  const staysThere = nameOf(command) === 'select' && Number(command.args[0]) === db;
  return {
    ...info,
    ...(refused !== undefined && !staysThere && { refused }),
    ...(blocking !== undefined && { blocking }),
  };
}

/** Undefined: the command does not wait in the server. */
function blockingOf(command: Command): Blocking | undefined {
  const at = timeoutAt(command);
  if (at === undefined) return undefined;
  const timeout = Number(command.args[at]);
  return { timeoutMs: TIMEOUT_AT[nameOf(command)] === 'BLOCK' ? timeout : timeout * 1000 };
}

function timeoutAt(command: Command): number | undefined {
  const { args } = command;
  switch (TIMEOUT_AT[nameOf(command)]) {
    case 'first':
      return 0;
    case 'last':
      return args.length - 1;
    case 'BLOCK': {
      const option = args.findIndex((arg) => String(arg).toUpperCase() === 'BLOCK');
      return option < 0 ? undefined : option + 1;
    }
    case undefined:
      return undefined;
  }
}

function setTimeoutOf(command: Command, timeout: string): void {
  const at = timeoutAt(command);
  if (at !== undefined) command.args[at] = timeout;
}

import { Command, type Redis } from 'ioredis';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Writable } from 'node:stream';
import { currentScope, step, type Blocking, type Step, type StepInfo } from '../seam';
import { describe, nameScript } from './redis-command';

/** The parts of an ioredis pipeline that are used here. */
interface Pipeline {
  readonly _queue: Command[];
  exec(callback?: Callback): Promise<unknown>;
}

type Callback = (error: Error | null, result?: unknown) => void;
type Listener = (...args: unknown[]) => void;

/** An ioredis client of a user. */
export interface InstrumentedRedis {
  /** It has subscribed to channels. */
  readonly isSubscribed: boolean;
  /** Resolves when it has received all messages that were published before this call. */
  receiveMessages(): Promise<void>;
  /** Removes the connection state that a schedule has left: subscriptions, WATCH, MULTI, listeners. */
  reset(): Promise<void>;
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
 * Makes every command of an ioredis client pass the seam. A pipeline is not atomic, so each of its commands is a step; a MULTI
 * with its EXEC is one. A command that waits in the server has no timeout there: the schedule ends its wait.
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
  private isWatching = false;
  private isInMulti = false;
  /** The step whose command waits in the server: every later reply comes after its own. */
  private waiting: Step | undefined;
  private readonly send: Redis['sendCommand'];

  constructor(private readonly redis: Redis) {
    const pipeline = redis.pipeline.bind(redis);
    const multi = redis.multi.bind(redis) as (...args: unknown[]) => unknown;
    const duplicate = redis.duplicate.bind(redis);
    const defineCommand = redis.defineCommand.bind(redis);
    const send = (this.send = redis.sendCommand.bind(redis));
    redis.options.enableAutoPipelining = false; // it would merge commands into one pipeline, which hides them from the seam
    redis.sendCommand = (command, stream) =>
      stream !== undefined || currentScope() === undefined
        ? send(command, stream)
        : step(
            () => describeOwn(command),
            (current) => this.issue(command, current),
          );
    redis.pipeline = (commands) => this.wrap(pipeline(commands));
    redis.multi = ((...args: unknown[]) => {
      const begun = multi(...args);
      return isPipeline(begun) ? this.wrap(begun) : begun;
    }) as Redis['multi'];
    redis.duplicate = (override) => {
      const copy = duplicate(override);
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
    for (const method of ADDS) this.bindListeners(method);
  }

  get isSubscribed(): boolean {
    return this.isSubscriber || [...this.copies].some((copy) => copy.isSubscribed);
  }

  async receiveMessages(): Promise<void> {
    if (this.isSubscriber) await this.redis.ping();
    await Promise.all([...this.copies].map((copy) => copy.receiveMessages()));
  }

  async reset(): Promise<void> {
    for (const remove of this.listeners.splice(0)) remove();
    for (const copy of this.copies) copy.redis.disconnect();
    if (this.isInMulti) await this.redis.call('DISCARD').catch(() => undefined);
    if (this.isWatching) await this.redis.unwatch();
    this.isInMulti = this.isWatching = false;
    if (!this.isSubscriber) return;
    await this.redis.unsubscribe();
    await this.redis.punsubscribe();
  }

  /** A connection in subscriber mode. */
  private get isSubscriber(): boolean {
    const { condition } = this.redis as unknown as { condition?: { subscriber: unknown } };
    return Boolean(condition?.subscriber);
  }

  private issue(command: Command, current: Step | undefined): Promise<unknown> {
    const { send } = this;
    const { name } = command;
    if (name === 'watch') this.isWatching = true;
    if (name === 'multi') this.isInMulti = true;
    if (/^(exec|discard)$/.test(name)) this.isWatching = this.isInMulti = false;
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
    const { redis, send } = this;
    const { condition } = redis as unknown as { condition?: { readonly select: number } };
    const isFree = !this.isInMulti && !this.isWatching && !this.isSubscriber && this.waiting === undefined;
    if (current === undefined || !isFree || redis.status !== 'ready') return;
    if (condition?.select !== (redis.options.db ?? 0)) return;
    cork(redis);
    current.evalBehind = (script, ...args) =>
      send(new Command('eval', [script, 0, ...args], { replyEncoding: 'utf8' })) as Promise<unknown>;
  }

  private noteOrder(current: Step | undefined): void {
    if (current !== undefined && this.waiting !== undefined) current.behind = this.waiting;
  }

  private wrap<T>(pipeline: T): T {
    const own = pipeline as Pipeline;
    const exec = own.exec.bind(own);
    own.exec = (callback) => {
      if (currentScope() === undefined) return exec(callback);
      const isAtomic = own._queue.some(({ name }) => name === 'multi');
      const executed = isAtomic ? this.execAtOnce(own._queue, exec) : this.execOneByOne(own._queue);
      if (callback !== undefined)
        void executed.then(
          (result) => {
            callback(null, result);
          },
          (error: unknown) => {
            callback(error as Error);
          },
        );
      return executed;
    };
    return pipeline;
  }

  private execAtOnce(queue: readonly Command[], exec: () => Promise<unknown>): Promise<unknown> {
    return step(
      () => describeMulti(queue),
      (current) => {
        this.noteOrder(current);
        this.isWatching = false;
        return exec();
      },
    );
  }

  private async execOneByOne(queue: readonly Command[]): Promise<unknown> {
    const results: [Error | null, unknown?][] = [];
    for (const command of queue)
      try {
        results.push([null, await this.redis.sendCommand(command)]);
      } catch (error) {
        results.push([error as Error]);
      }
    return results;
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
    const { scriptsSet } = this.redis as unknown as { scriptsSet: Record<string, { sha: string }> };
    for (const [name, { sha }] of Object.entries(scriptsSet)) nameScript(sha, { name });
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

const isPipeline = (value: unknown): value is Pipeline =>
  typeof value === 'object' && value !== null && 'isPipeline' in value;

function describeOwn(command: Command): StepInfo {
  const blocking = blockingOf(command);
  return { ...describe(command), ...(blocking !== undefined && { blocking }) };
}

/** Undefined: the command does not wait in the server. */
function blockingOf(command: Command): Blocking | undefined {
  const at = timeoutAt(command);
  if (at === undefined) return undefined;
  const timeout = Number(command.args[at]);
  return { timeoutMs: TIMEOUT_AT[command.name] === 'BLOCK' ? timeout : timeout * 1000 };
}

function timeoutAt({ name, args }: Command): number | undefined {
  switch (TIMEOUT_AT[name]) {
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

function describeMulti(queue: readonly Command[]): StepInfo {
  const inside = queue.filter(({ name }) => name !== 'multi' && name !== 'exec').map(describe);
  const [first] = inside;
  return {
    kind: 'redis',
    verb: 'MULTI',
    text: `MULTI; ${inside.map(({ text }) => text).join('; ')}; EXEC`,
    ...(first?.key !== undefined && { key: first.key }),
  };
}

import { Command, Redis, type RedisOptions } from 'ioredis';
import { SCHEDULE_TIME } from '../seam';
import { instrumentPipelines, OpenTransaction } from './pipelines';
import { ReplyDeadlines } from './reply-deadlines';
import { NotInSchedules, whyNotCommand } from './not-in-schedules';
import { noteObserved } from './observed-sockets';
import { PendingCommand, describe, inService, nameOf, withinTime } from './redis-command';
import { currentScope, step, type Step } from '../seam';

/** The Redis counter that numbers the commands on lock keys, for ordered histories. */
export const ORDER_KEY = 'lab:order';

export interface SteppedRedisOptions {
  /** `redis://[user:password@]host:port[/db]`. */
  readonly url: string;
  /** Milliseconds without a reply after which a command fails as `DependencyDown`. */
  readonly timeoutMs?: number;
  /** Shown by CLIENT LIST. */
  readonly name?: string;
  /** Name of the server, where there are several; absent: the lab's own Redis. */
  readonly server?: string;
  /**
   * Replaces the timeout of WAIT, milliseconds, so that the load of the replicas does not change its reply; 0: no limit.
   */
  readonly replicaMs?: number;
}

type Callback = (error: unknown, value?: unknown) => void;

/** Commands after which a connection waits for others: it is that of all requests of an actor, also in later schedules. */
const TAKES_THE_CONNECTION: ReadonlySet<string> = new Set([
  ...['subscribe', 'psubscribe', 'ssubscribe', 'monitor'],
  ...['blpop', 'brpop', 'blmove', 'blmpop', 'brpoplpush', 'bzpopmin', 'bzpopmax', 'bzmpop'],
]);

const isInSchedule = (): boolean => currentScope()?.scheduleTime !== undefined;

/** Why a command cannot be explored; undefined: it can. */
const whyNotInSchedules = (command: Command): string | undefined =>
  TAKES_THE_CONNECTION.has(nameOf(command))
    ? 'waits on its connection, which the explorer cannot see: use commands that are answered at once'
    : whyNotCommand(nameOf(command), command.args);

/** Undefined: the command can be explored, or no schedule is played. */
function refusalOf(command: Command): NotInSchedules | undefined {
  const why = isInSchedule() ? whyNotInSchedules(command) : undefined;
  return why === undefined ? undefined : new NotInSchedules(command.name, why);
}

/** Minimum timeout of a new connection, milliseconds. */
const CONNECT_MS = 1000;

/**
 * ioredis with every command passing the seam. Three defaults differ from ioredis: commands are not queued while Redis is
 * unreachable (a request would hang instead of failing with 503), commands are not resent after a reconnect (a SET NX
 * whose reply was lost would return null although the key holds our value), and a command without a reply fails after
 * `timeoutMs`.
 */
export class SteppedRedis extends Redis {
  private readonly deadlines: ReplyDeadlines;
  private readonly timeoutMs: number;
  private readonly replicaMs: number | undefined;
  /** The stream that is corked until the end of this turn of the event loop. */
  private corked: SteppedRedis['stream'] | undefined;
  /** Name of the server, e.g. `redis-3`; undefined: the lab's own Redis. */
  readonly server: string | undefined;
  /** What code has left open on this connection. */
  readonly transaction = new OpenTransaction();

  constructor(options: SteppedRedisOptions, overrides: RedisOptions = {}) {
    super(options.url, {
      connectionName: options.name ?? 'lab',
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: Math.max(CONNECT_MS, options.timeoutMs ?? 0),
      retryStrategy: (times) => Math.min(50 * times, 500),
      lazyConnect: true,
      ...overrides,
    });
    this.timeoutMs = options.timeoutMs ?? 800;
    this.deadlines = new ReplyDeadlines(this.timeoutMs);
    this.server = options.server;
    this.replicaMs = options.replicaMs;
    instrumentPipelines({
      redis: this,
      transaction: this.transaction,
      refusalOf,
      issue: (exec) => withinTime(exec(), this.timeoutMs, 'multi'),
      ...(options.server !== undefined && { server: options.server }),
    });
    this.on('connect', () => {
      noteObserved(this.stream);
    });
    this.on('error', () => undefined); // a lost connection fails the command that needs it
  }

  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): Promise<unknown> {
    if (stream !== undefined) return super.sendCommand(command, stream) as Promise<unknown>; // sent by ioredis itself: its handshake, or a MULTI
    const refusal = refusalOf(command);
    if (refusal !== undefined) return Promise.reject(refusal);
    const { callback } = command as unknown as { readonly callback?: Callback };
    return callback === undefined || currentScope() === undefined
      ? this.sendStep(command)
      : this.sendWithCallback(command, callback);
  }

  /**
   * In a schedule: a clone whose commands are steps of this connection, and which cannot close it. Its own connection would
   * outlive the schedule, and the order of its commands and those of this one would be left to the network.
   */
  override duplicate(override?: Partial<RedisOptions>): Redis {
    if (!isInSchedule()) return super.duplicate(override);
    return new Proxy(this, {
      get: (connection, name) => {
        if (name === 'disconnect') return () => undefined;
        if (name === 'connect' || name === 'quit') return () => Promise.resolve('OK');
        const value: unknown = Reflect.get(connection, name, connection);
        return typeof value === 'function' ? (value.bind(connection) as unknown) : value;
      },
    });
  }

  /** ioredis would call the callback when the server replies, and never when the command is not sent. */
  private sendWithCallback({ name, args }: Command, callback: Callback): Promise<unknown> {
    const reply = this.sendStep(new Command(name, args, { replyEncoding: 'utf8' }));
    reply.then(
      (value) => {
        callback(null, value);
      },
      (error: unknown) => {
        callback(error);
      },
    );
    return reply;
  }

  private sendStep(command: Command): Promise<unknown> {
    return step(
      () => ({ ...describe(command), ...(this.server !== undefined && { server: this.server }) }),
      (current) => this.issue(command, current),
    );
  }

  private issue(command: Command, current?: Step): Promise<unknown> {
    const time = currentScope()?.scheduleTime;
    if (time !== undefined)
      command.args = command.args.map((arg) => (arg === SCHEDULE_TIME ? String(time()) : arg));
    if (this.replicaMs !== undefined && nameOf(command) === 'wait') command.args[1] = String(this.replicaMs);
    const { transaction } = this;
    transaction.note(command);
    const isOpen = transaction.isWatching || transaction.isInMulti; // a MULTI of its own would end or break it
    return current?.lock !== undefined && currentScope()?.ordered === true && !isOpen
      ? this.sendOrdered(command, current)
      : this.send(command);
  }

  private send(command: Command, name = command.name): Promise<unknown> {
    const reply = new PendingCommand(command, name, this.timeoutMs);
    this.cork();
    const promise = super.sendCommand(command) as Promise<unknown>;
    this.deadlines.add(reply);
    return promise;
  }

  /**
   * Sends all commands of this turn of the event loop in one packet: a release, and the next waiter's try after it. Sixteen
   * waiters of one process (`token-lua`, `wait=notify`) then have 1.3 times the hand-overs/s, at 0.8 of the CPU time for each:
   * medians of 25 pairs of runs with and without it.
   */
  private cork(): void {
    const { stream } = this;
    if (this.corked === stream || this.status !== 'ready') return;
    this.corked = stream;
    stream.cork();
    process.nextTick(() => {
      this.corked = undefined;
      stream.uncork();
    });
  }

  /**
   * Sends MULTI, SET NX, the command, INCR, EXEC in one round trip: the counter is the command's position in the server's own
   * order. A server that has lost the counter starts it again at the current time, which is above all earlier values.
   */
  private async sendOrdered(command: Command, current: Step): Promise<unknown> {
    const send = (name: string, args: (string | Buffer | number)[] = []): Promise<unknown> =>
      this.send(new Command(name, args, { replyEncoding: 'utf8' }), command.name);
    const queued = [
      send('multi'),
      send('set', [ORDER_KEY, microsecondsNow(), 'NX']),
      send(command.name, command.args as string[]),
      send('incr', [ORDER_KEY]),
    ];
    const executed = send('exec') as Promise<[unknown, unknown, number]>;
    await Promise.all([...queued, executed]);
    const [, reply, order] = await executed;
    current.order = order;
    if (reply instanceof Error) throw inService(reply);
    return reply;
  }
}

/** Microseconds since 1970. */
const microsecondsNow = (): number => Math.floor(1000 * (performance.timeOrigin + performance.now()));

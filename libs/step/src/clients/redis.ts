import { Command, Redis, type RedisOptions } from 'ioredis';
import { SCHEDULE_TIME } from '../seam';
import { ReplyDeadlines } from './reply-deadlines';
import { PendingCommand, describe, inService } from './redis-command';
import { currentScope, step, type Step } from '../seam';

/** The counter in Redis that numbers the commands on lock keys, for histories that must be ordered. */
export const ORDER_KEY = 'lab:order';

export interface SteppedRedisOptions {
  /** `redis://[user:password@]host:port[/db]`. */
  readonly url: string;
  /** Milliseconds without a reply after which a command fails as `DependencyDown`. */
  readonly timeoutMs?: number;
  /** Shown by CLIENT LIST. */
  readonly name?: string;
  /** Which of several Redis this one is; absent: the lab's own. */
  readonly server?: string;
  /**
   * Sends WAIT with this limit instead of its own, milliseconds, so that the load of the replicas does not change the answer;
   * 0: without a limit.
   */
  readonly replicaMs?: number;
}

/** The shortest time-out of a new connection, milliseconds. */
const CONNECT_MS = 1000;

/**
 * ioredis with every command passing the seam. Three defaults differ from ioredis, each for a reason:
 * nothing is queued while Redis is away (a request would hang instead of answering 503), nothing is resent after
 * a reconnect (a SET NX whose reply was lost would answer null although the key holds our value), and a command
 * without a reply fails after `timeoutMs`.
 */
export class SteppedRedis extends Redis {
  private readonly deadlines: ReplyDeadlines;
  private readonly timeoutMs: number;
  private readonly replicaMs: number | undefined;
  /** Commands of one turn of the event loop leave together, in one packet. */
  private corked: SteppedRedis['stream'] | undefined;
  /** Which of several Redis this one is, e.g. `redis-3`; undefined: the lab's own. */
  readonly server: string | undefined;

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
    this.on('error', () => undefined); // a lost connection shows in the command that needed it
  }

  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): Promise<unknown> {
    if (stream !== undefined) return super.sendCommand(command, stream) as Promise<unknown>; // ioredis' own hand-shake
    return step(
      () => ({ ...describe(command), ...(this.server !== undefined && { server: this.server }) }),
      (current) => this.issue(command, current),
    );
  }

  private issue(command: Command, current?: Step): Promise<unknown> {
    const time = currentScope()?.scheduleTime;
    if (time !== undefined)
      command.args = command.args.map((arg) => (arg === SCHEDULE_TIME ? String(time()) : arg));
    if (this.replicaMs !== undefined && command.name === 'wait') command.args[1] = String(this.replicaMs);
    return current?.key?.startsWith('lock:') === true && currentScope()?.ordered === true
      ? this.sendOrdered(command, current)
      : this.send(command);
  }

  private send(command: Command, called = command.name): Promise<unknown> {
    const reply = new PendingCommand(command, called, this.timeoutMs);
    this.cork();
    const promise = super.sendCommand(command) as Promise<unknown>;
    this.deadlines.add(reply);
    return promise;
  }

  /** What is sent until the running code is done leaves in one packet: a release, and the next waiter's try behind it. */
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
   * Sends MULTI, the command, INCR, EXEC in one round trip: the counter says where the command stands in the server's own
   * order. A server that has forgotten the counter counts on from the time of day: above all that it has said before.
   */
  private async sendOrdered(command: Command, current: Step): Promise<unknown> {
    const send = (name: string, args: (string | Buffer | number)[] = []): Promise<unknown> =>
      this.send(new Command(name, args, { replyEncoding: 'utf8' }), command.name);
    const queued = [
      send('multi'),
      send('set', [ORDER_KEY, timeOfDay(), 'NX']),
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
const timeOfDay = (): number => Math.floor(1000 * (performance.timeOrigin + performance.now()));

import { Cluster, Command, type Redis } from 'ioredis';
import { describe, withinTime } from './redis-command';
import { step } from '../seam';

export interface SteppedClusterOptions {
  /** `redis://host:port` of some nodes; the client discovers the others. */
  readonly urls: readonly string[];
  /** Milliseconds without a reply after which a command fails as `DependencyDown`. */
  readonly timeoutMs?: number;
  /** Shown by CLIENT LIST. */
  readonly name?: string;
}

/**
 * ioredis' Cluster with every command passing the seam once, however often it is redirected (MOVED, ASK). As with
 * `SteppedRedis`, commands are not queued while the cluster is unreachable, and not resent when their reply was lost. Two
 * things differ: a script is loaded into every primary (ioredis would choose a random one), and the commands on locks are
 * not ordered, because that order would need one server.
 */
export class SteppedCluster extends Cluster {
  private readonly timeoutMs: number;

  constructor({ urls, timeoutMs = 800, name = 'lab' }: SteppedClusterOptions) {
    super(
      urls.map((url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) })),
      {
        lazyConnect: true,
        enableOfflineQueue: false,
        retryDelayOnFailover: 0, // a command whose connection ended may have been executed
        redisOptions: { connectionName: name, connectTimeout: 1000, maxRetriesPerRequest: 0 },
      },
    );
    this.timeoutMs = timeoutMs;
    this.on('error', () => undefined); // a lost connection fails the command that needs it
  }

  /** The type that strategies use: they call only what a single Redis and a cluster have in common. */
  get asRedis(): Redis {
    return this as unknown as Redis;
  }

  override sendCommand(
    command: Command,
    stream?: Parameters<Cluster['sendCommand']>[1],
    node?: unknown,
  ): Promise<unknown> {
    if (stream !== undefined || node !== undefined)
      return super.sendCommand(command, stream, node) as Promise<unknown>; // sent by ioredis itself
    return step(
      () => describe(command),
      () => withinTime(this.issue(command), this.timeoutMs, command.name),
    );
  }

  private issue(command: Command): Promise<unknown> {
    return command.name === 'script'
      ? this.sendToPrimaries(command)
      : (super.sendCommand(command) as Promise<unknown>);
  }

  /** Resolves when all primaries have replied, one of them with success; rejects when all have failed. */
  private async sendToPrimaries({ name, args }: Command): Promise<unknown> {
    const replies = this.nodes('master').map(
      (node) => node.sendCommand(new Command(name, [...args], { replyEncoding: 'utf8' })) as Promise<unknown>,
    );
    await Promise.allSettled(replies);
    return Promise.any(replies);
  }
}

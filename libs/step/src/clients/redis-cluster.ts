import { Cluster, Command, type Redis } from 'ioredis';
import { describe, withinTime } from './redis-command';
import { step } from '../seam';

export interface SteppedClusterOptions {
  /** `redis://host:port` of some nodes; the others are found through them. */
  readonly urls: readonly string[];
  /** Milliseconds without a reply after which a command fails as `DependencyDown`. */
  readonly timeoutMs?: number;
  /** Shown by CLIENT LIST. */
  readonly name?: string;
}

/**
 * ioredis' Cluster with every command passing the seam, once, to however many nodes it is sent on (MOVED, ASK). As with
 * `SteppedRedis`, nothing is queued while the cluster is away, and nothing is sent again whose reply was lost. Two things
 * differ: a script is taught to every primary — ioredis would teach one, by chance —, and there is no order of the lock
 * commands, which would have to be one server's.
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
    this.on('error', () => undefined); // a lost connection shows in the command that needed it
  }

  /** As strategies see it: they use only what a single Redis and a cluster have in common. */
  get asRedis(): Redis {
    return this as unknown as Redis;
  }

  override sendCommand(
    command: Command,
    stream?: Parameters<Cluster['sendCommand']>[1],
    node?: unknown,
  ): Promise<unknown> {
    if (stream !== undefined || node !== undefined)
      return super.sendCommand(command, stream, node) as Promise<unknown>; // ioredis' own business
    return step(
      () => describe(command),
      () => withinTime(this.issue(command), this.timeoutMs, command.name),
    );
  }

  private issue(command: Command): Promise<unknown> {
    return command.name === 'script'
      ? this.tellPrimaries(command)
      : (super.sendCommand(command) as Promise<unknown>);
  }

  /** Resolves when every primary that is there has done it; rejects when none has. */
  private async tellPrimaries({ name, args }: Command): Promise<unknown> {
    const told = this.nodes('master').map(
      (node) => node.sendCommand(new Command(name, [...args], { replyEncoding: 'utf8' })) as Promise<unknown>,
    );
    await Promise.allSettled(told);
    return Promise.any(told);
  }
}

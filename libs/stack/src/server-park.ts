import { join, resolve } from 'node:path';
import { Claim } from './claim';
import { FakedClock } from './faked-clock';
import { Layout } from './layout';
import { startEtcd, startEtcds } from './etcd';
import { startMysql } from './mysql';
import { startRedis, type StartedRedis } from './redis';
import { type Shard, startRedisCluster } from './redis-cluster';
import { startSentinel, type Watch } from './sentinel';
import type { Server } from './server';
import type { ServerName } from './types';
import { FaultProxy } from './fault-proxy';
import { startZookeeper, startZookeepers } from './zookeeper';

/** A standalone server, or a member of a cluster. */
export interface Member {
  readonly server: Server;
  readonly url: string;
}

/**
 * Servers for a sequence of experiments, without replicas and nginx. Each server is started on request and writes only under
 * `dir`. Methods reject with a `StackError`.
 */
export class ServerPark {
  private readonly servers: Server[] = [];
  private readonly faultProxies: FaultProxy[] = [];
  private database: Promise<{ server: Server; url: string }> | undefined;

  private constructor(
    private readonly layout: Layout,
    private readonly claim: Claim,
  ) {}

  /** @throws StackError STACK.ALREADY_RUNNING */
  static async open(dir: string): Promise<ServerPark> {
    const folder = resolve(dir);
    const claim = await Claim.take(folder);
    return new ServerPark(new Layout(folder), claim);
  }

  /** The database, shared by all experiments: `mysql://user:password@host:port`. The user may create schemas. */
  async mysql(): Promise<string> {
    this.database ??= startMysql(this.layout, 'relaxed', this.claim);
    return (await this.database).url;
  }

  /** Starts a private Redis, without persistence unless `args` enable it (`--appendonly yes`). */
  async redis(
    name: ServerName,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<StartedRedis> {
    const redis = await startRedis(this.layout, this.claim, name, args, env);
    this.servers.push(redis.server);
    return redis;
  }

  /** Starts a Sentinel. */
  async sentinel(name: `sentinel-${number}`, watch: Watch): Promise<StartedRedis> {
    const sentinel = await startSentinel(this.layout, this.claim, name, watch);
    this.servers.push(sentinel.server);
    return sentinel;
  }

  /** Starts a Redis Cluster of three shards. */
  async redisCluster(): Promise<readonly Shard[]> {
    const shards = await startRedisCluster(this.layout, this.claim);
    this.servers.push(...shards.flatMap(({ primary, replica }) => [primary.server, replica.server]));
    return shards;
  }

  /** A clock for the server of this name; pass its `env` to the server. @throws StackError STACK.PROGRAM_MISSING */
  clock(name: ServerName): FakedClock {
    return new FakedClock(join(this.layout.dataFolder('clocks'), name));
  }

  /** Starts an ensemble of ZooKeepers, or a standalone one. `url` is `host:port`. */
  async zookeeper(members = 1): Promise<readonly Member[]> {
    const { layout, claim } = this;
    return this.keep(
      members === 1
        ? [await startZookeeper(layout, 'relaxed', claim)]
        : await startZookeepers(layout, 'relaxed', claim, members),
    );
  }

  /** Starts an etcd cluster, or a single member. `url` is `http://host:port`. */
  async etcd(members = 1): Promise<readonly Member[]> {
    const { layout, claim } = this;
    return this.keep(
      members === 1
        ? [await startEtcd(layout, 'relaxed', claim)]
        : await startEtcds(layout, 'relaxed', claim, members),
    );
  }

  /** Starts a proxy in front of the server at `url`; the result's `url` is the proxy's. */
  async faultProxy(url: string): Promise<{ readonly faultProxy: FaultProxy; readonly url: string }> {
    const { protocol, hostname, port, pathname } = new URL(url);
    const faultProxy = await FaultProxy.to(hostname, Number(port));
    this.faultProxies.push(faultProxy);
    return { faultProxy, url: `${protocol}//127.0.0.1:${faultProxy.port}${pathname}` };
  }

  private keep(members: readonly Member[]): readonly Member[] {
    this.servers.push(...members.map(({ server }) => server));
    return members;
  }

  /** The folder for locks that are directories. */
  get lockDir(): string {
    return this.layout.lockDir;
  }

  /**
   * Adds a process that is not one of the park's servers: it is killed when the park stops, or by a later cleanup. Returns
   * a function that removes it from the list.
   */
  adopt(name: string, pid: number): () => void {
    this.claim.add(name, pid);
    return () => {
      this.claim.remove(pid);
    };
  }

  /** Ends an experiment: kills its servers and removes their data. The database keeps running. */
  async clear(): Promise<void> {
    await Promise.all(this.faultProxies.splice(0).map((faultProxy) => faultProxy.close()));
    // in reverse order of their start: replicas before their primary, which would wait for them
    for (const server of this.servers.splice(0).reverse()) {
      if (server.isUp) await server.kill();
      for (const port of server.ports) this.claim.ports.giveBack(port);
      this.layout.removeDataOf(server.name);
    }
  }

  async stop(): Promise<void> {
    this.claim.close();
    await this.clear();
    await this.claim.abandon(); // the database, adopted processes, and servers left by a failed start of several
    await this.database?.catch(() => undefined); // its start may be under way
    this.layout.removeData();
    this.claim.release();
  }
}

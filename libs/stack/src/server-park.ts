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

/** A server, alone or one of several that know one another. */
export interface Member {
  readonly server: Server;
  readonly url: string;
}

/**
 * Servers for one experiment after the other, each started when it is asked for: no replicas, no nginx. Everything that
 * they write is under `dir`. Methods reject with a `StackError`.
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

  /** The database: one for all experiments. `mysql://user:password@host:port`; the user may create schemas. */
  async mysql(): Promise<string> {
    this.database ??= startMysql(this.layout, 'relaxed', this.claim);
    return (await this.database).url;
  }

  /** A Redis of its own, without persistence unless `args` say so (`--appendonly yes`). */
  async redis(
    name: ServerName,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<StartedRedis> {
    const redis = await startRedis(this.layout, this.claim, name, args, env);
    this.servers.push(redis.server);
    return redis;
  }

  /** A Sentinel of its own. */
  async sentinel(name: `sentinel-${number}`, watch: Watch): Promise<StartedRedis> {
    const sentinel = await startSentinel(this.layout, this.claim, name, watch);
    this.servers.push(sentinel.server);
    return sentinel;
  }

  /** A Redis Cluster. */
  async redisCluster(): Promise<readonly Shard[]> {
    const shards = await startRedisCluster(this.layout, this.claim);
    this.servers.push(...shards.flatMap(({ primary, replica }) => [primary.server, replica.server]));
    return shards;
  }

  /** A clock for the server of this name, to be given to it as its `env`. @throws StackError STACK.PROGRAM_MISSING */
  clock(name: ServerName): FakedClock {
    return new FakedClock(join(this.layout.dataFolder('clocks'), name));
  }

  /** ZooKeepers of one ensemble, or the only one. `url` is `host:port`. */
  async zookeeper(members = 1): Promise<readonly Member[]> {
    const { layout, claim } = this;
    return this.keep(
      members === 1
        ? [await startZookeeper(layout, 'relaxed', claim)]
        : await startZookeepers(layout, 'relaxed', claim, members),
    );
  }

  /** Members of one etcd, or the only one. `url` is `http://host:port`. */
  async etcd(members = 1): Promise<readonly Member[]> {
    const { layout, claim } = this;
    return this.keep(
      members === 1
        ? [await startEtcd(layout, 'relaxed', claim)]
        : await startEtcds(layout, 'relaxed', claim, members),
    );
  }

  /** A network of its own to the server at `url`, and the address of that network. */
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

  /** Where locks may be that are directories. */
  get lockDir(): string {
    return this.layout.lockDir;
  }

  /** A process that is no server of ours, killed when the park stops, or is cleaned up after. Returns how to dismiss it. */
  adopt(name: string, pid: number): () => void {
    this.claim.add(name, pid);
    return () => {
      this.claim.remove(pid);
    };
  }

  /** The experiment is over: its servers are gone, and so is what they wrote. The database stays. */
  async clear(): Promise<void> {
    await Promise.all(this.faultProxies.splice(0).map((faultProxy) => faultProxy.close()));
    // the last that was started first: replicas before their primary, which would wait for them
    for (const server of this.servers.splice(0).reverse()) {
      if (server.isUp) await server.kill();
      this.layout.removeDataOf(server.name);
    }
  }

  async stop(): Promise<void> {
    this.claim.close();
    await this.clear();
    await this.claim.abandon(); // the database, what was adopted, and a server whose start was given up as another one's failed
    await this.database?.catch(() => undefined); // it may have been about to start
    this.layout.removeData();
    this.claim.release();
  }
}

import type { Component } from '#lab/step';
import { readConfig } from '#lab/config';
import { availableParallelism, release, type as osType } from 'node:os';
import { join } from 'node:path';
import { environmentOf } from './addresses';
import { runToEnd } from './child';
import type { Claim } from './claim';
import { componentConditions, Components } from './components';
import { ReverseProxy, type Routes } from './reverse-proxy';
import { StackError } from './errors';
import { Journal } from './journal';
import type { Layout } from './layout';
import { mysqlConditions } from './mysql';
import { projectRoot } from './paths';
import { PROCESS_MS } from './poll';
import { demand, NEEDED } from './programs';
import { redisConditions } from './redis';
import { SupervisedReplica } from './replica';
import type { Server } from './server';
import type { AppName, Conditions, Replica, Stack, StackOptions, Urls } from './types';
import { FaultProxy } from './fault-proxy';

const WATCH_MS = 20;

interface Servers {
  readonly redis: { server: Server; url: string };
  readonly mysql: { server: Server; url: string };
  readonly components: Components;
}

/** A stack of local processes; Redis and the database are already running. */
export class ProcessStack implements Stack {
  private fleet: SupervisedReplica[] = [];
  private proxy: ReverseProxy | undefined;
  private readonly migrated = new Set<string>();
  private stopping: Promise<void> | undefined;
  private scaling: Promise<void> = Promise.resolve();
  private readonly journal: Journal;
  private readonly watcher: NodeJS.Timeout;
  private readonly closers: (() => Promise<void>)[] = [];
  private readonly faultProxies = new Map<string, FaultProxy>();

  constructor(
    private readonly options: StackOptions,
    private readonly layout: Layout,
    private readonly claim: Claim,
    private readonly servers: Servers,
  ) {
    this.journal = new Journal(layout.historyDir);
    this.watcher = setInterval(() => {
      for (const replica of this.fleet) replica.watch();
    }, WATCH_MS).unref();
  }

  get historyDir(): string {
    return this.layout.historyDir;
  }

  get urls(): Urls {
    const shop = this.proxy?.urls ?? { public: '', inventory: '' };
    const { redis, mysql, components } = this.servers;
    return { ...shop, redis: redis.url, mysql: mysql.url, servers: components.addresses };
  }

  /** `close` runs during `stop`, after the replicas have stopped. */
  onStop(close: () => Promise<void>): void {
    this.closers.push(close);
  }

  replicas(): Promise<readonly Replica[]> {
    return Promise.resolve(this.fleet.map((replica) => replica.snapshot()));
  }

  async provide(components: readonly Component[]): Promise<Urls> {
    this.assertRunning();
    await this.servers.components.provide(components);
    return this.urls;
  }

  scale(app: AppName, count: number): Promise<void> {
    return this.scaleAll({ [app]: count });
  }

  /** Scales several apps at once. Calls run one after another. */
  scaleAll(counts: Partial<Record<AppName, number>>): Promise<void> {
    const done = this.scaling.then(() => this.changeFleet(counts));
    this.scaling = done.catch(() => undefined);
    return done;
  }

  async kill(name: string): Promise<void> {
    await this.find(name).kill();
  }

  async pause(name: string): Promise<void> {
    await this.find(name).pause();
  }

  resume(name: string): Promise<void> {
    return Promise.resolve().then(() => {
      this.find(name).resume();
    });
  }

  cut(replica: string): Promise<void> {
    return this.withProxy(replica, (faultProxy) => {
      faultProxy.cut();
    });
  }

  swallow(replica: string): Promise<void> {
    return this.withProxy(replica, (faultProxy) => {
      faultProxy.swallow();
    });
  }

  mend(replica: string): Promise<void> {
    return this.withProxy(replica, (faultProxy) => {
      faultProxy.mend();
    });
  }

  reload(): Promise<void> {
    return this.scaleAll({});
  }

  async restart(name: string): Promise<void> {
    const found = this.find(name);
    await found.stop();
    if (this.stopping) return;
    await found.start();
    if (found instanceof SupervisedReplica) await found.ready();
    else await this.servers.components.settle(found);
    if (found === this.proxy?.server) await this.proxy.worker();
  }

  async ready(): Promise<void> {
    for (const { isUp, name } of this.baseServers()) {
      if (!isUp)
        throw new StackError('STACK.SERVER_DOWN', `${name} is down. Start it again with restart('${name}').`);
    }
    await Promise.all(this.fleet.map((replica) => replica.ready()));
  }

  async conditions(): Promise<Conditions> {
    return {
      backEnd: 'processes',
      ...(await redisConditions(this.urls.redis)),
      ...(await mysqlConditions(this.urls.mysql)),
      ...(await componentConditions(this.urls.servers)),
      nginx: demand(NEEDED.nginx).version,
      ...machine(),
    };
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    this.claim.close();
    await Promise.all(this.fleet.map((replica) => replica.stop()));
    clearInterval(this.watcher);
    await Promise.all(this.closers.map((close) => close()));
    await this.scaling;
    await Promise.all([...this.faultProxies.values()].map((faultProxy) => faultProxy.close()));
    await this.proxy?.server.stop();
    const { redis, mysql, components } = this.servers;
    await Promise.all([redis.server.stop(), mysql.server.stop(), components.stop()]);
    await this.claim.abandon(); // processes of a component that failed to start
    this.layout.removeData();
    this.claim.release();
  }

  private async changeFleet(counts: Partial<Record<AppName, number>>): Promise<void> {
    this.assertRunning();
    const apps = Object.keys(counts) as AppName[];
    const surplus = apps.flatMap((app) => this.members(app).slice(counts[app]));
    const missing = apps.flatMap((app) =>
      Array.from({ length: (counts[app] ?? 0) - this.members(app).length }, () => app),
    );
    await this.prepare(missing);

    for (const app of missing) this.fleet.push(await this.create(app));
    await Promise.all(this.fleet.map((replica) => replica.ready()));
    this.assertRunning();
    const kept = this.fleet.filter((replica) => !surplus.includes(replica));
    await this.proxy?.route(routesTo(kept));
    await Promise.all(surplus.map((replica) => this.remove(replica)));
    this.fleet = kept;
  }

  /** Starts nginx before the first replica, which needs its internal address, and migrates each schema once. */
  private async prepare(missing: readonly AppName[]): Promise<void> {
    if (missing.length === 0) return;
    const { layout, claim, options } = this;
    const { lab, preferredPorts } = options;
    const { ordersAtOnce } = readConfig(options.environment ?? {});
    const proxyOptions = { layout, claim, lab, preferredPorts, ordersAtOnce };
    this.proxy ??= await ReverseProxy.open(proxyOptions, routesTo([]));
    const scripts = this.migrationsFor(missing).filter((script) => !this.migrated.has(script));
    await Promise.all(scripts.map((script) => this.migrate(script)));
    for (const script of scripts) this.migrated.add(script);
  }

  /** The shop's two apps need each other's schema; the accounts' schema is migrated only with their app. */
  private migrationsFor(missing: readonly AppName[]): readonly string[] {
    const apps = ['inventory', 'order', ...(missing.includes('account') ? ['account'] : [])];
    return this.options.migrations ?? apps.map((app) => builtApp(app, 'migrate.js'));
  }

  private async migrate(script: string): Promise<void> {
    const app = script.split('/').at(-3) ?? 'app';
    const name = `migrate-${app}`;
    this.options.onProgress?.(`migrating the schema of ${app}`);
    try {
      await runToEnd(this.node(name, script, 0), this.claim, PROCESS_MS);
    } catch (error) {
      throw new StackError('STACK.MIGRATION_FAILED', (error as Error).message, { cause: error });
    }
  }

  private async create(app: AppName): Promise<SupervisedReplica> {
    const port = await this.claim.ports.reserve();
    const name = `${app}-${this.members(app).length + 1}`;
    const entry = this.options.entries?.[app] ?? builtApp(app, 'main.js');
    if (this.options.wired?.includes(name) === true) this.faultProxies.set(name, await this.toRedis());
    const replica = new SupervisedReplica({
      app,
      url: `http://127.0.0.1:${port}`,
      command: { ...this.node(name, entry, port), tied: true },
      claim: this.claim,
      journal: this.journal,
      onProgress: this.options.onProgress ?? (() => undefined),
    });
    replica.start();
    return replica;
  }

  private async remove(replica: SupervisedReplica): Promise<void> {
    await replica.stop();
    this.claim.ports.giveBack(Number(new URL(replica.url).port));
  }

  /** The command and environment of one of the lab's apps. */
  private node(name: string, script: string, port: number) {
    const env = {
      ...this.options.environment,
      REPLICA: name,
      HOST: '127.0.0.1',
      PORT: String(port),
      REDIS_URL: this.redisUrlOf(name),
      MYSQL_URL: this.urls.mysql,
      INVENTORY_DATABASE: 'inventory',
      ORDER_DATABASE: 'orders',
      ACCOUNT_DATABASE: 'accounts',
      INVENTORY_URL: this.urls.inventory,
      ...environmentOf(this.urls.servers),
      LAB_ENABLED: String(this.options.lab),
      HISTORY_DIR: this.historyDir,
      LOCK_DIR: this.layout.lockDir,
    };
    return {
      name,
      program: process.execPath,
      args: [script],
      cwd: projectRoot(),
      log: this.layout.log(name),
      env,
    };
  }

  private toRedis(): Promise<FaultProxy> {
    const { hostname, port } = new URL(this.urls.redis);
    return FaultProxy.to(hostname, Number(port));
  }

  private redisUrlOf(name: string): string {
    const faultProxy = this.faultProxies.get(name);
    return faultProxy === undefined ? this.urls.redis : `redis://127.0.0.1:${faultProxy.port}`;
  }

  private withProxy(replica: string, act: (faultProxy: FaultProxy) => void): Promise<void> {
    const faultProxy = this.faultProxies.get(replica);
    if (faultProxy !== undefined) return Promise.resolve(faultProxy).then(act);
    const text = `${replica} has no fault proxy to Redis. Start the stack with wired: ['${replica}'].`;
    return Promise.reject(new StackError('STACK.UNKNOWN_NAME', text));
  }

  private members(app: AppName): SupervisedReplica[] {
    return this.fleet.filter((replica) => replica.app === app);
  }

  private baseServers(): Server[] {
    const { redis, mysql } = this.servers;
    return [redis.server, mysql.server, ...(this.proxy ? [this.proxy.server] : [])];
  }

  private find(name: string): SupervisedReplica | Server {
    this.assertRunning();
    const all = [...this.fleet, ...this.baseServers(), ...this.servers.components.servers];
    const found = all.find((one) => one.name === name);
    if (found) return found;
    const names = all.map((one) => one.name).join(', ');
    throw new StackError(
      'STACK.UNKNOWN_NAME',
      `There is no replica or server "${name}". The names are: ${names}.`,
    );
  }

  private assertRunning(): void {
    if (this.stopping) throw new StackError('STACK.STOPPED', 'This stack was stopped. Start another one.');
  }
}

/** The conditions that do not depend on the servers. */
export const machine = (): Conditions => ({
  node: process.versions.node,
  cpus: availableParallelism(),
  os: `${osType()} ${release()}`,
});

const builtApp = (app: string, file: string): string => join(projectRoot(), 'dist', 'apps', app, 'src', file);

function routesTo(replicas: readonly SupervisedReplica[]): Routes {
  const urlsOf = (name: AppName): string[] =>
    replicas.filter(({ app }) => app === name).map(({ url }) => url);
  return { order: urlsOf('order'), inventory: urlsOf('inventory'), account: urlsOf('account') };
}

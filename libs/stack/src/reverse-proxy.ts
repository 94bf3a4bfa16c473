import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Claim } from './claim';
import { StackError } from './errors';
import { stateOf, titleOf } from './identity';
import type { Layout } from './layout';
import { infra, tail } from './paths';
import { get, PROCESS_MS, pollUntil } from './poll';
import { demand, NEEDED } from './programs';
import { type ServerDefinition, type Server, startOnFreePorts } from './server';
import type { AppName, Urls } from './types';

/** Direct addresses of the replicas behind nginx. */
export type Routes = Readonly<Record<AppName, readonly string[]>>;

export interface ReverseProxyOptions {
  readonly layout: Layout;
  readonly claim: Claim;
  readonly lab: boolean;
  /** Orders that one order replica receives at the same time. */
  readonly ordersAtOnce: number;
  readonly preferredPorts: { readonly public: number; readonly lab: number } | undefined;
}

type Ports = readonly [publicPort: number, labPort: number, inventoryPort: number];

/** nginx: the public, the lab and the internal address, and the replicas behind them. */
export class ReverseProxy {
  private constructor(
    readonly server: Server,
    private readonly options: ReverseProxyOptions,
    private readonly ports: Ports,
  ) {}

  static async open(options: ReverseProxyOptions, routes: Routes): Promise<ReverseProxy> {
    const { layout, claim, preferredPorts } = options;
    const program = demand(NEEDED.nginx).path;
    const prefix = layout.dataFolder('nginx');
    for (const file of ['nginx.conf', 'problems.conf', 'routes.conf'])
      copyFileSync(infra('nginx', file), join(prefix, file));
    mkdirSync(join(prefix, 'conf.d'), { recursive: true });

    const definition = (ports: Ports): ServerDefinition => {
      render(prefix, ports, routes, options);
      const user = layout.account?.uid === 0 ? ' user root;' : '';
      return {
        name: 'nginx',
        ports,
        command: {
          name: 'nginx',
          program,
          args: [
            '-p',
            prefix,
            '-c',
            'nginx.conf',
            '-g',
            `daemon off; pid nginx.pid; error_log stderr warn;${user}`,
          ],
          cwd: prefix,
          log: layout.log('nginx'),
          account: layout.account,
        },
        // The master writes the file once all addresses are bound.
        answers: (pid) => Promise.resolve(readPid(join(prefix, 'nginx.pid')) === pid),
      };
    };
    const wanted = [preferredPorts?.public, preferredPorts?.lab, undefined];
    const toPorts = ([first = 0, second = 0, third = 0]: number[]): Ports => [first, second, third];
    const { server, ports } = await startOnFreePorts(wanted, (free) => definition(toPorts(free)), claim);
    const proxy = new ReverseProxy(server, options, toPorts(ports));
    await proxy.worker();
    return proxy;
  }

  get urls(): Pick<Urls, 'public' | 'lab' | 'inventory'> {
    const [publicUrl = '', lab = '', inventory = ''] = this.ports.map((port) => `http://127.0.0.1:${port}`);
    return { public: publicUrl, ...(this.options.lab && { lab }), inventory };
  }

  /** Resolves when new requests go to these replicas only. @throws StackError STACK.NOT_READY */
  async route(routes: Routes): Promise<void> {
    const before = await this.worker();
    render(this.options.layout.dataPath('nginx'), this.ports, routes, this.options);
    this.server.reload();
    const changed = await this.pollWhileUp(
      async () => (await this.askWorker()) !== before && hasStoppedListening(before),
    );
    if (!changed) throw this.notReady('did not load the new list of replicas');
    this.options.claim.remove(before);
    await this.worker();
  }

  /** Pid of the current worker, recorded so that it can be killed even after its master has died. */
  async worker(): Promise<number> {
    let pid: number | undefined;
    await this.pollWhileUp(async () => (pid = await this.askWorker()) !== undefined);
    if (pid === undefined) throw this.notReady('does not answer');
    this.options.claim.add('nginx-worker', pid);
    return pid;
  }

  /** Whether `probe` was true before nginx exited, and in time. */
  private async pollWhileUp(probe: () => Promise<boolean>): Promise<boolean> {
    let wasTrue = false;
    await pollUntil(async () => (wasTrue = await probe()) || !this.server.isUp, { timeoutMs: PROCESS_MS });
    return wasTrue;
  }

  private notReady(why: string): StackError {
    const text = this.server.isUp ? why : 'has exited';
    return new StackError('STACK.NOT_READY', `nginx ${text}. See its log:${tail(this.server.log)}`);
  }

  private async askWorker(): Promise<number | undefined> {
    const text = await get(`${this.urls.inventory}/nginx/worker`);
    return text === undefined ? undefined : Number(text);
  }
}

/** After a reload the old worker still listens for a moment while the new one already serves. */
const hasStoppedListening = (worker: number): boolean =>
  stateOf(worker) === '' || titleOf(worker).includes('shutting down');

/** Fills the templates' placeholders: upstream lists, addresses and the bound of orders. */
function render(
  prefix: string,
  [publicPort, labPort, inventoryPort]: Ports,
  routes: Routes,
  { lab, ordersAtOnce }: Pick<ReverseProxyOptions, 'lab' | 'ordersAtOnce'>,
): void {
  const values: Record<string, string> = {
    ORDER_SERVERS: upstream(routes.order),
    BOUNDED_ORDER_SERVERS: upstream(routes.order, ` max_conns=${ordersAtOnce}`),
    TOTAL_ORDERS_AT_ONCE: String(ordersAtOnce * Math.max(routes.order.length, 1)),
    INVENTORY_SERVERS: upstream(routes.inventory),
    ACCOUNT_SERVERS: upstream(routes.account),
    PUBLIC_LISTEN: `127.0.0.1:${publicPort}`,
    LAB_LISTEN: `127.0.0.1:${labPort}`,
    INVENTORY_LISTEN: `127.0.0.1:${inventoryPort}`,
  };
  for (const name of lab ? ['shop.conf', 'lab.conf'] : ['shop.conf']) {
    const template = readFileSync(infra('nginx', 'templates', `${name}.template`), 'utf8');
    const text = template.replace(/\$\{([A-Z_]+)\}/g, (whole, key: string) => values[key] ?? whole);
    writeFileSync(join(prefix, 'conf.d', name), text);
  }
}

function upstream(urls: readonly string[], bound = ''): string {
  // nginx refuses an empty list; a server marked as down receives no request.
  if (urls.length === 0) return 'server 127.0.0.1:1 down;';
  return urls.map((url) => `server ${new URL(url).host} max_fails=0${bound};`).join('\n    ');
}

function readPid(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A connection to a server that can be cut, or made a black hole: what is sent is swallowed, and nothing comes back. */
export class Proxy {
  private readonly sockets = new Set<Socket>();
  private silent = false;
  private open = true;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async before(host: string, port: number): Promise<Proxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new Proxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (client) => {
      proxy.carry(client, connect(port, host));
    });
    return proxy;
  }

  /** Ends all connections; new ones are refused until `mend`. */
  cut(): void {
    this.open = false;
    for (const socket of this.sockets) socket.destroy();
  }

  swallow(): void {
    this.silent = true;
  }

  mend(): void {
    this.silent = false;
    this.open = true;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private carry(client: Socket, target: Socket): void {
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.on('data', (data) => {
        if (!this.silent) to.write(data);
      });
    }
    if (!this.open) client.destroy();
  }
}

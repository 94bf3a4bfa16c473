import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * The network between one client and one server: a loopback port that forwards. It can be cut (connections end, new ones
 * are reset), made a black hole (what is sent is swallowed, and nobody is told), or led to another server.
 */
export class Wire {
  private readonly sockets = new Set<Socket>();
  private silent = false;
  private open = true;

  private constructor(
    private readonly server: Server,
    private target: { readonly host: string; readonly port: number },
    readonly port: number,
  ) {}

  static async to(host: string, port: number): Promise<Wire> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const wire = new Wire(server, { host, port }, (server.address() as AddressInfo).port);
    server.on('connection', (client) => {
      wire.carry(client);
    });
    return wire;
  }

  /** Ends all connections; new ones are reset until `mend`. */
  cut(): void {
    this.open = false;
    this.reset();
  }

  /** Swallows everything from now on, in both directions: a black hole. */
  swallow(): void {
    this.silent = true;
  }

  /** Carries again what is sent from now on. */
  mend(): void {
    this.silent = false;
    this.open = true;
  }

  /** Ends all connections; the next ones go to another server. */
  lead(host: string, port: number): void {
    this.target = { host, port };
    this.reset();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private reset(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private carry(client: Socket): void {
    if (!this.open) {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.target.port, this.target.host);
    for (const [from, to] of [
      [client, server],
      [server, client],
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
  }
}

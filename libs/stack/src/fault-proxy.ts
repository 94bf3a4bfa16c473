import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy on a loopback port, between one client and one server. It can be cut (existing and new connections are
 * reset), turned into a black hole in one or both directions (data is dropped without an error), or redirected to another
 * server.
 */
export class FaultProxy {
  private readonly sockets = new Set<Socket>();
  /** Sockets whose data was dropped. */
  private readonly torn = new Set<Socket>();
  private swallowed: 'nothing' | 'replies' | 'all' = 'nothing';
  private open = true;

  private constructor(
    private readonly server: Server,
    private target: { readonly host: string; readonly port: number },
    readonly port: number,
  ) {}

  static async to(host: string, port: number): Promise<FaultProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const faultProxy = new FaultProxy(server, { host, port }, (server.address() as AddressInfo).port);
    server.on('connection', (client) => {
      faultProxy.forward(client);
    });
    return faultProxy;
  }

  /** Resets all connections, and every new one until `mend`. */
  cut(): void {
    this.open = false;
    this.reset();
  }

  /** Drops all data from now on; with `replies` only the server's data, so that it still executes requests. */
  swallow(what: 'replies' | 'all' = 'all'): void {
    this.swallowed = what;
  }

  /**
   * Forwards data again. Connections that lost data are reset: real TCP would retransmit it, this proxy cannot, and a stream
   * with a gap is corrupt.
   */
  mend(): void {
    this.swallowed = 'nothing';
    this.open = true;
    for (const socket of this.torn) reset(socket);
  }

  /** Resets all connections; new ones go to another server. */
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
    for (const socket of this.sockets) reset(socket);
  }

  private forward(client: Socket): void {
    if (!this.open) {
      reset(client);
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
        this.torn.delete(from);
        to.destroy();
      });
      from.on('data', (data) => {
        const isLost = this.swallowed === 'all' || (this.swallowed === 'replies' && from === server);
        if (isLost) this.torn.add(from);
        else to.write(data);
      });
    }
  }
}

/**
 * Resets a connection. One that is already being ended is only destroyed: libuv refuses a reset while a shutdown is pending,
 * Node drops the handle nevertheless, and the process then never exits because it waits for that handle.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

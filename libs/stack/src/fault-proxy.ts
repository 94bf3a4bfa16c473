import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * The network between one client and one server: a loopback port that forwards. It can be cut (connections are
 * reset, and new ones too), made a black hole in both directions or in one (what is sent is swallowed, and nobody is told), or
 * led to another server.
 */
export class FaultProxy {
  private readonly sockets = new Set<Socket>();
  /** Ends of connections of which something was swallowed. */
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
      faultProxy.carry(client);
    });
    return faultProxy;
  }

  /** Resets all connections, and new ones until `mend`. */
  cut(): void {
    this.open = false;
    this.reset();
  }

  /** Swallows from now on everything, a black hole; or only what the server answers: it executes what it is sent. */
  swallow(what: 'replies' | 'all' = 'all'): void {
    this.swallowed = what;
  }

  /**
   * Carries again what is sent from now on. TCP would send again what was swallowed, or give up; as nothing can be sent again
   * here, connections that have lost something are reset: with a hole in it, no stream is what it was.
   */
  mend(): void {
    this.swallowed = 'nothing';
    this.open = true;
    for (const socket of this.torn) reset(socket);
  }

  /** Resets all connections; the next ones go to another server. */
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

  private carry(client: Socket): void {
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
 * Resets a connection. One that is being ended already is only destroyed: libuv refuses to reset while its shutdown is
 * pending, Node drops the handle all the same, and a process then waits for it without end when it exits.
 */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

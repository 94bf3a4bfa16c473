import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';

/** Ports below 32768, from where Linux assigns ports to outgoing connections. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Offset of the second port on which the nodes of a Redis Cluster communicate. */
const BUS = 10_000;

/** A preferred port, any port (undefined), or one whose cluster bus port is free as well. */
export type PortRequest = number | 'with bus' | undefined;

/** Whether a stack could reserve this loopback port now, and its cluster bus port if requested. */
export async function isFree(port: number, wish?: PortRequest): Promise<boolean> {
  const sockets = await hold(portsFor(port, wish));
  for (const socket of sockets ?? []) socket.close();
  return sockets !== undefined;
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

/**
 * The ports of one stack. A server gets its port before it listens there, and keeps it while it is down: meanwhile no other
 * stack on this machine may choose it. The reservation is the UDP port of the same number, which no server of a stack uses:
 * the kernel gives it to one process only, and takes it back when that process ends.
 */
export class ReservedPorts {
  private readonly sockets = new Map<number, readonly Socket[]>();

  /** Reserves a port without a listener: the preferred one, or a random one. */
  async reserve(wish?: PortRequest): Promise<number> {
    const draw = (): number => randomInt(LOWEST, wish === 'with bus' ? HIGHEST - BUS : HIGHEST);
    for (let port = typeof wish === 'number' ? wish : draw(); ; port = draw()) {
      const sockets = await hold(portsFor(port, wish));
      if (sockets === undefined) continue;
      this.sockets.set(port, sockets);
      return port;
    }
  }

  /** Ends the reservation of a port. */
  giveBack(port: number): void {
    for (const socket of this.sockets.get(port) ?? []) socket.close();
    this.sockets.delete(port);
  }

  giveAllBack(): void {
    for (const port of [...this.sockets.keys()]) this.giveBack(port);
  }
}

const portsFor = (port: number, wish: PortRequest): number[] =>
  wish === 'with bus' ? [port, port + BUS] : [port];

/** Reserves all of these ports, or none (undefined) if one of them is reserved or has a listener. */
async function hold(ports: readonly number[]): Promise<readonly Socket[] | undefined> {
  const held: Socket[] = [];
  for (const port of ports) {
    const socket = await bind(port);
    if (socket !== undefined) held.push(socket);
    if (socket === undefined || !(await canListen(port))) {
      for (const one of held) one.close();
      return undefined;
    }
  }
  return held;
}

function bind(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => {
      socket.close();
      resolve(undefined);
    });
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      resolve(socket);
    });
  });
}

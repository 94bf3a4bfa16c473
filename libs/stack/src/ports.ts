import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports below 32768, from where Linux assigns ports to outgoing connections. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Offset of the second port on which the nodes of a Redis Cluster communicate. */
const BUS = 10_000;
/** Milliseconds for which a port stays reserved after `freePort`; its server listens by then. */
const RESERVED_MS = 60_000;

/** A preferred port, any port (undefined), or one whose cluster bus port is free as well. */
export type PortRequest = number | 'with bus' | undefined;

const reserved = new Set<number>();

/** Whether a server could listen on this loopback port now, and on its cluster bus port if requested. */
export async function isFree(port: number, wish?: PortRequest): Promise<boolean> {
  return (await canListen(port)) && (wish !== 'with bus' || (await canListen(port + BUS)));
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

/** A port without a listener: the preferred one, or a random one that is not reserved. Reserves it. */
export async function freePort(wish?: PortRequest): Promise<number> {
  const draw = (): number => randomInt(LOWEST, wish === 'with bus' ? HIGHEST - BUS : HIGHEST);
  let port = typeof wish === 'number' ? wish : draw();
  while (reserved.has(port) || !(await isFree(port, wish))) port = draw();
  reserved.add(port);
  setTimeout(giveBack, RESERVED_MS, port).unref();
  return port;
}

/** Ends the reservation of the port. */
export function giveBack(port: number): void {
  reserved.delete(port);
}

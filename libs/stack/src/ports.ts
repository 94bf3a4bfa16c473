import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below 32768, where Linux begins to give ports to outgoing connections. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

const handedOut = new Set<number>();

/** Whether a server could listen on this loopback port now. */
export function isFree(port: number): Promise<boolean> {
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

/** A port that nobody listens on: the preferred one, or a random one that was not handed out before. */
export async function freePort(preferred?: number): Promise<number> {
  let port = preferred ?? randomInt(LOWEST, HIGHEST);
  while (handedOut.has(port) || !(await isFree(port))) port = randomInt(LOWEST, HIGHEST);
  handedOut.add(port);
  return port;
}

/** A Redis Cluster's nodes talk to one another on a second port, so far above their own. */
const BUS = 10_000;

/** A port whose cluster bus is free, too. */
export async function freePortWithBus(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST - BUS);
    if (handedOut.has(port + BUS) || !(await isFree(port)) || !(await isFree(port + BUS))) continue;
    handedOut.add(port + BUS);
    return port;
  }
}

/** The port may be handed out again. */
export function giveBack(port: number): void {
  handedOut.delete(port);
}

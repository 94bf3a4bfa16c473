import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below 32768, where Linux begins to give ports to outgoing connections. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A Redis Cluster's nodes talk to one another on a second port, so far above their own. */
const BUS = 10_000;
/** By then whoever was given a port listens on it, or never will. Milliseconds. */
const TAKEN_BY_MS = 60_000;

/** A port that is preferred, any port, or one whose cluster bus is free, too. */
export type PortRequest = number | 'with bus' | undefined;

const handedOut = new Set<number>();

/** Whether a server could listen on this loopback port now, and on its cluster bus where that is wished for. */
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

/** A port that nobody listens on: the preferred one, or a random one that was not handed out just now. */
export async function freePort(wish?: PortRequest): Promise<number> {
  const draw = (): number => randomInt(LOWEST, wish === 'with bus' ? HIGHEST - BUS : HIGHEST);
  let port = typeof wish === 'number' ? wish : draw();
  while (handedOut.has(port) || !(await isFree(port, wish))) port = draw();
  handedOut.add(port);
  setTimeout(giveBack, TAKEN_BY_MS, port).unref();
  return port;
}

/** The port may be handed out again. */
export function giveBack(port: number): void {
  handedOut.delete(port);
}

import type { Socket } from 'node:net';

const observed = new WeakSet<object>();

/** Notes that the commands on this socket are those of a client that passes the seam, or the lab's own. */
export const noteObserved = (socket: object): void => void observed.add(socket);

export const isObserved = (socket: Socket): boolean => observed.has(socket);

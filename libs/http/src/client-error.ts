import type { Socket } from 'node:net';
import { problem } from './problem';

/**
 * Answers what Node.js itself refuses to read as HTTP (a method that nobody knows, a control character in a header)
 * with a problem. nginx lets some of it pass.
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const detail = `this cannot be read as HTTP (${error.code ?? error.message}): nothing was done`;
  const body = JSON.stringify(problem('REQUEST.INVALID', detail));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

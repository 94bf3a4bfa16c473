import type { Socket } from 'node:net';
import { problem } from './problem';

/**
 * Answers input that Node.js rejects as HTTP (an unknown method, a control character in a header) with a problem; nginx
 * does not reject all of it.
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const detail = `the request is not valid HTTP (${error.code ?? error.message}): nothing was done`;
  const body = JSON.stringify(problem('REQUEST.INVALID', detail));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

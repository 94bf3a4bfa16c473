import { readConfig } from '#lab/config';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Outbox } from './outbox';

/**
 * The message gateway of the lab: a provider of text messages, as a shop knows it. It delivers what it receives, counts it, and
 * delivers a message with a known `Idempotency-Key` only once.
 *
 *     POST   /NAMESPACE/messages   {"to", "text", "request"} → 201 the delivery; 200 the first delivery with this key
 *     POST   /NAMESPACE/messages/repeat   handles the next message twice, as when a proxy on the way repeats it
 *     GET    /NAMESPACE/messages   all deliveries in order
 *     DELETE /NAMESPACE/messages   forgets them
 *     GET    /health               {"pid"}
 */
const outboxes = new Map<string, Outbox>();

function outboxOf(namespace: string): Outbox {
  const found = outboxes.get(namespace) ?? new Outbox();
  outboxes.set(namespace, found);
  return found;
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  if (url === '/health') {
    answer(response, 200, { pid: process.pid });
    return;
  }
  const found = /^\/((?:[\w-]+\/)?)messages(\/repeat)?$/.exec(url);
  if (found === null) {
    answer(response, 404, { detail: 'POST, GET or DELETE /NAMESPACE/messages' });
    return;
  }
  const [, namespace = '', repeat] = found;
  const outbox = outboxOf(namespace);
  if (repeat !== undefined) {
    outbox.repeatNext();
    answer(response, 200, {});
  } else if (method === 'POST') {
    const key = headers['idempotency-key'];
    const { delivery, isNew } = outbox.receive(
      await bodyOf(request),
      typeof key === 'string' ? key : undefined,
    );
    answer(response, isNew ? 201 : 200, delivery);
  } else if (method === 'DELETE') {
    outboxes.delete(namespace);
    answer(response, 200, {});
  } else answer(response, 200, outbox.deliveries);
}

async function bodyOf(request: IncomingMessage): Promise<{ to: string; text: string; request: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const {
    to,
    text,
    request: sender,
  } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  return { to: String(to), text: String(text), request: String(sender) };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    answer(response, 400, { detail: error instanceof Error ? error.message : String(error) });
  });
});
server.keepAliveTimeout = 60_000;
const { port, host } = readConfig();
server.listen(port, host);
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

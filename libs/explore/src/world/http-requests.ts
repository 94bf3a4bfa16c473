import { currentScope } from '#lab/step';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

interface Message {
  readonly request: object;
  readonly response?: IncomingMessage;
}

/** The requests of actors, and whether each still waits for its response. */
const pending = new Map<object, () => boolean>();

const end = ({ request }: Message): void => void pending.delete(request);

/** What Node reports of `node:http` and of `fetch`. */
const FOLLOWED: Readonly<Record<string, (message: Message) => void>> = {
  'http.client.request.start': ({ request }) => {
    if (currentScope() !== undefined) pending.set(request, () => !(request as ClientRequest).destroyed);
  },
  // the code may leave the body unread
  'http.client.response.finish': ({ request, response }) => {
    if (pending.has(request))
      pending.set(request, () => response?.readableFlowing === true && !response.complete);
  },
  'undici:request:create': ({ request }) => {
    if (currentScope() !== undefined) pending.set(request, () => true);
  },
  'undici:request:trailers': end,
  'undici:request:error': end,
};

let followers = 0;

/** Notes the HTTP requests of actors, until the returned function is called. */
export function followHttpRequests(): () => void {
  const each = (change: typeof subscribe | typeof unsubscribe): void => {
    for (const [channel, note] of Object.entries(FOLLOWED))
      change(channel, note as (message: unknown) => void);
  };
  if (followers++ === 0) each(subscribe);
  return () => {
    if (--followers > 0) return;
    each(unsubscribe);
    pending.clear();
  };
}

/** An actor waits for an HTTP response: that takes real time, in which the time of the schedule must not advance. */
export function awaitsHttpResponse(): boolean {
  for (const [request, waits] of pending) if (!waits()) pending.delete(request);
  return pending.size > 0;
}

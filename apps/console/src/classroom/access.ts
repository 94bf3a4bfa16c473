import { problem, sendProblem, type Problem } from '#lab/http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { hostname, networkInterfaces } from 'node:os';
import { Classroom } from './classroom';
import { identify, notJoined } from './member';

export const COOKIE = 'console-member';

/** What a browser may ask before it has joined: the page itself, and to join. */
const OPEN_TO_ALL = /^\/api\/classroom(\/join)?$/;

/**
 * Refuses requests that another page makes a browser send (another host name or origin), and in a class those of browsers
 * that have not joined.
 */
export function guardAccess(app: NestFastifyApplication): void {
  const classroom = app.get(Classroom);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      const refusal = refusalOf(request, classroom);
      if (refusal === undefined) done();
      else sendProblem(reply, refusal);
    });
}

/** Identifies the member; the problem of a request that is refused. */
function refusalOf(request: FastifyRequest, classroom: Classroom): Problem | undefined {
  const { headers } = request;
  const name = hostNameOf(headers.host);
  if (!isOwnName(name, classroom.isOpen))
    return problem('ACCESS.HOST', `this console does not answer to the name "${name}"`);
  if (headers.origin !== undefined && !isSameOrigin(headers.origin, headers.host))
    return problem('ACCESS.ORIGIN', `a page of ${headers.origin} may not use this console`);
  const member = classroom.of(cookieOf(request));
  if (member !== undefined) identify(request.raw, member);
  const path = request.url.split('?')[0] ?? '';
  return member !== undefined || !/^\/(api|docs)(\/|-|$)/.test(path) || OPEN_TO_ALL.test(path)
    ? undefined
    : notJoined();
}

function cookieOf({ headers }: FastifyRequest): string | undefined {
  const found = headers.cookie?.split(';').find((one) => one.trim().startsWith(`${COOKIE}=`));
  return found?.trim().slice(COOKIE.length + 1);
}

const hostNameOf = (host = ''): string =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';

/** A name that resolves to this machine is not enough: another page may own it (DNS rebinding). */
const isOwnName = (name: string, isOpen: boolean): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(name) || (isOpen && ownNames().includes(name));

const ownNames = (): string[] => [
  hostname().toLowerCase(),
  ...Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
  ),
];

const isSameOrigin = (origin: string, host: string | undefined): boolean =>
  URL.canParse(origin) && new URL(origin).host === host;
